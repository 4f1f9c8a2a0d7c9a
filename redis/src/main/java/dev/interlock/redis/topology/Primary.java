// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.redis.RedisNode;
import dev.interlock.redis.topology.PrimarySource.Candidate;
import java.util.concurrent.atomic.AtomicInteger;

/** A server while it is the primary, and until the calls that were made meanwhile have ended. */
final class Primary {
    private final Candidate candidate;
    private final RedisNode node;
    private final Background background;

    /** The calls that use the node, and one more while it is not retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    Primary(Candidate candidate, RedisNode node, Background background) {
        this.candidate = candidate;
        this.node = node;
        this.background = background;
    }

    Candidate candidate() {
        return candidate;
    }

    RedisNode node() {
        return node;
    }

    /** Begins a call, which ends with {@link #exit}; false if the node is closed. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void exit() {
        if (users.decrementAndGet() == 0) {
            // It may take a while, which no caller has.
            background.run(node::close);
        }
    }

    /** Closes the node as soon as the present calls have ended. Called once. */
    void retire() {
        exit();
    }
}
