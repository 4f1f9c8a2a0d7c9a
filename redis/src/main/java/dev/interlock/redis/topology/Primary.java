// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.redis.RedisNode;
import dev.interlock.redis.topology.PrimarySource.Candidate;
import java.util.concurrent.atomic.AtomicInteger;

/** The node of a primary, which is closed once it is retired and its last call has ended. */
final class Primary {
    private final Candidate candidate;
    private final RedisNode node;
    private final BackgroundTasks background;

    /** The number of calls that use the node, plus one while it is not retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    Primary(Candidate candidate, RedisNode node, BackgroundTasks background) {
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

    /** Begins a call, which ends with {@link #exit}. Returns false if the node is closed. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void exit() {
        if (users.decrementAndGet() == 0) {
            // Closing may take a while, and no caller should wait for it.
            background.run(node::close);
        }
    }

    /** Closes the node as soon as the present calls have ended. Called once. */
    void retire() {
        exit();
    }
}
