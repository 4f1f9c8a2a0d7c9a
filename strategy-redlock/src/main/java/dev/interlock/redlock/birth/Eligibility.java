// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.redlock.joint.Configuration;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the process at the other end of a connection may vote: only after every lease has ended that it may
 * have forgotten.
 *
 * <p>Clients measure the time on their monotonic clocks, and pass it on from one to the next through the age in the
 * birth record. The clocks of servers do not count, since they may have been stepped. Safe to use from any thread.
 */
public final class Eligibility {
    /** Longer than any process lives. */
    private static final long NEVER = Long.MAX_VALUE / 2;

    private final int index;
    private final Electorate electorate;
    private final Roster roster;
    private final ToLongFunction<Duration> driftNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final BitSet toldPeers = new BitSet();
    private BirthRecord record;
    private long ageNanos;
    private long sinceNanos;
    private @Nullable Object judgedState;
    private @Nullable String exclusion;

    /**
     * Creates the eligibility of a process that has shown its birth record.
     *
     * @param index which node it is
     * @param electorate which nodes vote
     * @param roster the processes in the places of all nodes
     * @param driftNanos the largest difference between clocks after a given time
     */
    Eligibility(
            int index,
            Electorate electorate,
            Roster roster,
            ToLongFunction<Duration> driftNanos,
            BirthRecord record,
            long nowNanos) {
        this.index = index;
        this.electorate = electorate;
        this.roster = roster;
        this.driftNanos = driftNanos;
        this.record = record;
        this.ageNanos = record.age().toNanos();
        this.sinceNanos = nowNanos;
    }

    /** Updates this from a new record of the node. */
    void learn(BirthRecord next, long nowNanos) {
        lock.lock();
        try {
            if (!next.birth().equals(record.birth())) {
                toldPeers.clear();
                measureFrom(next.age().toNanos(), nowNanos);
            } else if (next.age().toNanos() > ageNanos(nowNanos)) {
                measureFrom(next.age().toNanos(), nowNanos);
            }
            record = next.after(record);
            judgedState = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that another node knows of this process from now on. If the process may not vote yet, the time measured
     * before does not count: until now, a holder that still counts on the predecessor could not learn from that node
     * that the vote is gone. The script of the next {@linkplain Births#enrol enrolment} makes this hold for all
     * clients.
     */
    void noteToldPeer(int peer, long nowNanos) {
        lock.lock();
        try {
            if (!toldPeers.get(peer)) {
                toldPeers.set(peer);
                if (!record.isToldTo(peer) && ageNanos(nowNanos) < asideNanos()) {
                    measureFrom(0, nowNanos);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the indexes, one character each, of the other nodes that are known to know of this process. */
    String toldPeers() {
        lock.lock();
        try {
            return toldPeers.stream()
                    .mapToObj(peer -> Character.toString(Character.forDigit(peer, Character.MAX_RADIX)))
                    .collect(Collectors.joining());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the record does not list yet all nodes that know of this process. */
    boolean hasUnrecordedPeers() {
        lock.lock();
        try {
            return !toldPeers.stream().allMatch(record::isToldTo);
        } finally {
            lock.unlock();
        }
    }

    private void measureFrom(long newAgeNanos, long nowNanos) {
        ageNanos = newAgeNanos;
        sinceNanos = nowNanos;
    }

    private long ageNanos(long nowNanos) {
        return ageNanos + (nowNanos - sinceNanos);
    }

    /** Returns the least time for which the process has forgotten nothing. */
    Duration age(long nowNanos) {
        lock.lock();
        try {
            return Duration.ofNanos(ageNanos(nowNanos));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns for how long the process must not vote for a new holder yet.
     *
     * @param nowNanos the time
     * @return nanoseconds; zero or less if it may vote
     */
    public long votesInNanos(long nowNanos) {
        lock.lock();
        try {
            return exclusion() == null ? asideNanos() - ageNanos(nowNanos) : NEVER;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the node knows a configuration as the one that counts.
     *
     * @param configuration which nodes vote
     * @return whether its record says so
     */
    public boolean knows(Configuration configuration) {
        BirthRecord said = record();
        return said.listing().enrolled()
                && said.listing().founded()
                && said.listing().index() == index
                && said.listing().configuration().agreesWith(configuration);
    }

    /**
     * Returns why the node does not vote, however old it is.
     *
     * @return the reason in words, which follow the name of the node; {@code null} if there is none
     */
    public @Nullable String exclusion() {
        lock.lock();
        try {
            Object state = electorate.state();
            if (!state.equals(judgedState)) {
                // Rarely reached: most votes are counted while nothing changes.
                exclusion = electorate.exclusion(index, record);
                judgedState = state;
            }
            return exclusion;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether this client has watched the process long enough for it to vote, and the record says much less:
     * that it does not vote, so that later clients would wait, or less than half of its age, so that it might stand
     * aside again for a client with a longer lease.
     *
     * @param nowNanos the time
     * @return whether the node is to be told
     */
    public boolean isNewsThatItVotes(long nowNanos) {
        lock.lock();
        try {
            long recorded = record.age().toNanos();
            long watched = ageNanos(nowNanos);
            return exclusion() == null
                    && watched >= asideNanos()
                    && (recorded < asideNanos() || recorded < watched / 2);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the longest lease of any client that a node knows.
     *
     * @return the time for which a process that may have forgotten leases does not vote
     */
    public Duration longestLease() {
        return roster.longestLease();
    }

    private long asideNanos() {
        Duration longest = roster.longestLease();
        return longest.toNanos() + driftNanos.applyAsLong(longest);
    }

    /**
     * Returns for how long the process's answer about a held lease does not count yet: zero if at worst the process has
     * forgotten the lease, and as long as for a vote if others used the node with another configuration.
     *
     * @param nowNanos the time
     * @return nanoseconds; zero or less if it counts
     */
    public long confirmsInNanos(long nowNanos) {
        return exclusion() != null ? NEVER : isDisputed() ? votesInNanos(nowNanos) : 0;
    }

    /**
     * Returns whether others used the node with another configuration, or another process in its place, right before
     * this birth.
     *
     * @return whether the record says so
     */
    public boolean isDisputed() {
        return record().disputed();
    }

    /**
     * Returns whether another process has taken the node's place since.
     *
     * @return whether any node says so
     */
    public boolean hasSuccessor() {
        return roster.hasSuccessor(index, record().self());
    }

    /**
     * Returns the state of the record that requests must match.
     *
     * @return birth and version
     */
    public String recordId() {
        return record().id();
    }

    BirthRecord record() {
        lock.lock();
        try {
            return record;
        } finally {
            lock.unlock();
        }
    }
}
