// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import java.util.function.Supplier;

/** Names the server that is, or should be, the primary. Safe to use from any thread. */
public interface PrimarySource extends AutoCloseable {
    /**
     * Returns the server that is said to be the primary. The answer may be out of date; {@link PrimaryFollower} asks
     * the server itself.
     *
     * @throws dev.interlock.LockBackendException if nobody knows; {@code REFUSED} if asking again would not help
     */
    Candidate find(Deadline deadline);

    /**
     * Begins to listen for changes. Called once.
     *
     * @param onHint run when the primary may have changed; does not block
     */
    default void listen(Runnable onHint) {}

    /** Closes the connections to the sources. */
    @Override
    void close();

    /**
     * A server that is said to be the primary.
     *
     * @param identity equal for two candidates if and only if they are the same server, reached in the same way
     * @param name what it is called in messages
     * @param connector makes a node for it, which does not connect yet
     */
    record Candidate(Object identity, String name, Supplier<RedisNode> connector) {
        boolean isSameAs(Candidate other) {
            return identity.equals(other.identity);
        }
    }
}
