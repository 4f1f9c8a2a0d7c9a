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
 * Sends a command to the cluster node that is responsible for its slot, and follows redirections. A command that may
 * have been carried out is never sent again.
 */
final class Router {
    /** The most redirections to follow. */
    private static final int MOST_REDIRECTIONS = 8;

    /** The most retries for keys that are being moved, and the first pause before a retry. */
    private static final int MOST_TRIES = 5;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

    private final Environment env;
    private final SlotKeeper slots;
    private final ClusterNodes nodes;

    /** A request to one node. */
    interface Step<T> {
        /**
         * Carries out the request and returns the reply.
         *
         * @param asking whether to send {@code ASKING} first, because the slot is being migrated to this node
         */
        @Nullable
        T at(ClientNode node, boolean asking, Duration timeout);
    }

    Router(Environment env, SlotKeeper slots, ClusterNodes nodes) {
        this.env = env;
        this.slots = slots;
        this.nodes = nodes;
    }

    /** Carries out a request at the node that serves a slot, within one deadline. */
    <T> @Nullable T route(int slot, Deadline deadline, Step<T> step) {
        RedisEndpoint target = owner(slot, deadline);
        boolean asking = false;
        int redirections = 0;
        int tries = 0;
        while (true) {
            try {
                return step.at(nodes.node(target), asking, Duration.ofNanos(Math.max(1, deadline.nanosLeft())));
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
                        // A retry after TRYAGAIN may be redirected as often as the first attempt.
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

    /** Refreshes the slot table and returns the node that serves a slot. */
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
                Reason.UNREACHABLE,
                "no node of the cluster serves slot " + slot + ": see CLUSTER INFO on one of its nodes");
    }
}
