// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerErrorException;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Finds the node of a cluster that carries a command out: one that answers that it did not, and where to go instead, is believed.
 * What may have been carried out is never sent again.
 */
final class Router {
    /** How many nodes may send us on to another one. */
    private static final int MOST_REDIRECTIONS = 8;

    /** How often to ask again about keys that are just being moved, and how long to wait before, at first. */
    private static final int MOST_TRIES = 5;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

    private final Environment env;
    private final SlotKeeper slots;
    private final ClusterMembers members;

    /** What to do at a node. */
    interface Step<T> {
        /**
         * Does it, and returns the reply.
         *
         * @param asking whether the node is about to get the slot, and has to be told that it is asked nevertheless
         */
        @Nullable
        T at(ClientNode node, boolean asking, Duration timeout);
    }

    Router(Environment env, SlotKeeper slots, ClusterMembers members) {
        this.env = env;
        this.slots = slots;
        this.members = members;
    }

    /** Does a step at the node that serves a slot, all within one time. */
    <T> @Nullable T route(int slot, Deadline deadline, Step<T> step) {
        RedisEndpoint target = owner(slot, deadline);
        boolean asking = false;
        int redirections = 0;
        int tries = 0;
        while (true) {
            try {
                return step.at(members.node(target), asking, Duration.ofNanos(Math.max(1, deadline.nanosLeft())));
            } catch (LockBackendException e) {
                if (e.reason() != Reason.UNREACHABLE) {
                    if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                        var unused = slots.refresh();
                    }
                    throw e;
                }
                Optional<Redirection> redirection = e instanceof ServerErrorException said
                        ? Redirection.of(said.error(), target)
                        : Optional.empty();
                boolean unstable =
                        e instanceof ServerErrorException said && said.error().isTryAgain();
                if (deadline.nanosLeft() <= 0
                        || ++redirections > MOST_REDIRECTIONS
                        || (unstable && ++tries > MOST_TRIES)) {
                    throw e;
                }
                if (redirection.isPresent()) {
                    asking = redirection.get().once();
                    target = redirection.get().target();
                    if (!asking) {
                        slots.moved(slot, target);
                    }
                } else {
                    if (unstable) {
                        // The way to the node that said so begins anew.
                        redirections = 0;
                    }
                    RedisEndpoint former = target;
                    boolean wasAsking = asking;
                    asking = false;
                    target = unstable ? pauseAndLook(slot, tries, deadline) : lookAgain(slot, deadline, e);
                    if (!unstable && !wasAsking && target.equals(former)) {
                        throw e;
                    }
                }
            }
        }
    }

    private RedisEndpoint owner(int slot, Deadline deadline) {
        RedisEndpoint owner = slots.table(deadline).owner(slot);
        if (owner == null) {
            owner = lookAgain(slot, deadline, null);
        }
        return owner;
    }

    private RedisEndpoint pauseAndLook(int slot, int tries, Deadline deadline) {
        Deadline pause = deadline.sooner(FIRST_PAUSE.multipliedBy(1L << tries), 1);
        Waiting.until(env, new CompletableFuture<Void>(), pause);
        return owner(slot, deadline);
    }

    /** Returns who serves a slot after the nodes have been asked once more. */
    private RedisEndpoint lookAgain(int slot, Deadline deadline, @Nullable LockBackendException reason) {
        Waiting.until(env, slots.refresh(), deadline);
        RedisEndpoint owner = slots.table().owner(slot);
        if (owner != null) {
            return owner;
        }
        if (reason != null) {
            throw reason;
        }
        throw notServed(slot);
    }

    static LockBackendException notServed(int slot) {
        return new LockBackendException(
                Reason.UNREACHABLE, "no node of the cluster serves slot " + slot + " now: see CLUSTER INFO there");
    }
}
