// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.redis.RedisCommand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The releases that one node has yet to be told. Guarded by a lock of its owner. */
public final class Outbox {
    /** More than this many leases end by themselves before a server that is away could be told of their release. */
    private static final int CAPACITY = 10_000;

    private final Deque<Undelivered> releases = new ArrayDeque<>();

    /**
     * A release that the server may not have carried out.
     *
     * @param release the command
     * @param untilNanos when the lease is over
     */
    public record Undelivered(RedisCommand release, long untilNanos) {}

    /** Creates an empty one. */
    public Outbox() {}

    /**
     * Adds a release; if there are too many, the oldest one is dropped.
     *
     * @param release the release
     */
    public void add(Undelivered release) {
        if (releases.size() == CAPACITY) {
            releases.removeFirst();
        }
        releases.addLast(release);
    }

    /**
     * Removes all releases.
     *
     * @param nowNanos the time
     * @return those of leases that are not over
     */
    public List<Undelivered> drain(long nowNanos) {
        List<Undelivered> due = new ArrayList<>();
        for (Undelivered release : releases) {
            if (release.untilNanos() - nowNanos > 0) {
                due.add(release);
            }
        }
        releases.clear();
        return due;
    }
}
