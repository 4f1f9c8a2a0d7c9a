// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.redis.RedisCommand;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The releases that have not been delivered to one node yet. Guarded by a lock of its owner. */
public final class Outbox {
    /**
     * The largest number of releases that are kept. With more, most leases would end before a server that is away could
     * be told.
     */
    private static final int CAPACITY = 10_000;

    private final Deque<Undelivered> releases = new ArrayDeque<>();

    /**
     * A release that the server may not have executed.
     *
     * @param release the command
     * @param untilNanos when the lease is over
     */
    public record Undelivered(RedisCommand release, long untilNanos) {}

    /** Creates an empty outbox. */
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
     * Removes the oldest release, and those before it whose lease is over.
     *
     * @param nowNanos the time
     * @return a release of a lease that is not over, or {@code null} if there is none
     */
    public @Nullable Undelivered poll(long nowNanos) {
        Undelivered oldest = releases.pollFirst();
        while (oldest != null && oldest.untilNanos() - nowNanos <= 0) {
            oldest = releases.pollFirst();
        }
        return oldest;
    }

    /**
     * Tells how many releases there are.
     *
     * @return the number of releases
     */
    public int size() {
        return releases.size();
    }

    /**
     * Tells whether there is nothing to deliver.
     *
     * @return whether no release was added, or all were removed
     */
    public boolean isEmpty() {
        return releases.isEmpty();
    }
}
