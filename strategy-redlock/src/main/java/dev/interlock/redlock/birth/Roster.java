// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The process that is each node now, and the longest lease of any client, as the nodes have announced them. Both only
 * grow. Safe to use from any thread.
 */
public final class Roster {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Map<Integer, Incumbent> incumbents = Map.of();
    private volatile Duration longestLease;

    /**
     * Creates a roster that knows of no process.
     *
     * @param longestLease the longest lease of this client
     */
    public Roster(Duration longestLease) {
        this.longestLease = longestLease;
    }

    /** Learns what a node's record says. */
    void note(int index, BirthRecord said) {
        if (!said.isPresent()) {
            return;
        }
        lock.lock();
        try {
            Map<Integer, Incumbent> next = new TreeMap<>(incumbents);
            said.peers().forEach((peer, incumbent) -> next.merge(peer, incumbent, Roster::later));
            next.merge(index, said.self(), Roster::later);
            incumbents = next;
            if (said.longestLease().compareTo(longestLease) > 0) {
                longestLease = said.longestLease();
            }
        } finally {
            lock.unlock();
        }
    }

    private static Incumbent later(Incumbent one, Incumbent other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Returns whether a later process has replaced the given one as a node. */
    boolean hasSuccessor(int index, Incumbent incumbent) {
        Incumbent latest = incumbents.get(index);
        return latest != null
                && latest.compareTo(incumbent) > 0
                && !latest.runId().equals(incumbent.runId());
    }

    /** Returns whether a record knows the process that is in the place of a node. */
    boolean isKnownTo(BirthRecord record, int index) {
        Incumbent latest = incumbents.get(index);
        @Nullable Incumbent known = record.peers().get(index);
        return latest == null || (known != null && known.compareTo(latest) >= 0);
    }

    /** Returns whether a node's record knows the process that is in the place of each other node. */
    boolean isKnownTo(int node, BirthRecord record) {
        return incumbents.keySet().stream().allMatch(index -> index == node || isKnownTo(record, index));
    }

    /** Returns the epoch of a process that becomes a node now: later than all known ones. */
    long nextEpoch(long currentTimeMillis) {
        long latest =
                incumbents.values().stream().mapToLong(Incumbent::epoch).max().orElse(0);
        return Math.max(latest + 1, currentTimeMillis);
    }

    /** Returns index, epoch and run_id of each process. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        incumbents.forEach((index, incumbent) -> {
            arguments.add(Integer.toString(index));
            arguments.add(Long.toString(incumbent.epoch()));
            arguments.add(incumbent.runId());
        });
        return arguments;
    }

    /** Returns the longest lease of any client that a node knows. */
    Duration longestLease() {
        return longestLease;
    }
}
