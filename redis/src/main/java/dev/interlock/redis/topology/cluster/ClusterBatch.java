// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerErrorException;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Sends many commands, in one write to each primary. Used once, by one thread. */
final class ClusterBatch {
    /**
     * The most rounds in which commands are sent again that a node has not carried out because the slot is not its own.
     */
    private static final int MOST_ROUNDS = 4;

    private final Environment env;
    private final SlotKeeper slots;
    private final ClusterNodes nodes;
    private final Alone alone;
    private final List<RedisCommand> commands;
    private final Reply[] replies;
    private final @Nullable RedisEndpoint[] asked;

    /** Carries out a single command. */
    interface Alone {
        @Nullable
        Object call(RedisCommand command, Duration timeout);
    }

    ClusterBatch(Environment env, SlotKeeper slots, ClusterNodes nodes, Alone alone, List<RedisCommand> commands) {
        this.env = env;
        this.slots = slots;
        this.nodes = nodes;
        this.alone = alone;
        this.commands = commands;
        this.replies = new Reply[commands.size()];
        this.asked = new RedisEndpoint[commands.size()];
    }

    List<Reply> send(Deadline deadline) {
        try {
            // This asks for the table if there is none yet.
            slots.table(deadline);
        } catch (LockBackendException e) {
            Arrays.fill(replies, new Reply.Failed(e));
            return Arrays.asList(replies);
        }
        List<Integer> left = IntStream.range(0, replies.length).boxed().toList();
        for (int round = 0; !left.isEmpty() && round < MOST_ROUNDS; round++) {
            sendToOwners(left, deadline);
            left = deadline.nanosLeft() > 0 ? notCarriedOut(left, deadline) : List.of();
        }
        return Arrays.asList(replies);
    }

    private void sendToOwners(List<Integer> places, Deadline deadline) {
        SlotTable table = slots.table();
        Map<RedisEndpoint, List<Integer>> byOwner = new LinkedHashMap<>();
        for (int place : places) {
            int slot = ClusterNode.slot(commands.get(place));
            RedisEndpoint owner = table.owner(slot);
            asked[place] = owner;
            if (owner == null) {
                replies[place] = new Reply.Failed(Router.notServed(slot));
            } else {
                byOwner.computeIfAbsent(owner, key -> new ArrayList<>()).add(place);
            }
        }
        byOwner.forEach((owner, mine) -> {
            List<Reply> told = sendTo(owner, mine.stream().map(commands::get).toList(), deadline);
            for (int i = 0; i < told.size(); i++) {
                replies[mine.get(i)] = told.get(i);
            }
        });
    }

    private List<Reply> sendTo(RedisEndpoint owner, List<RedisCommand> mine, Deadline deadline) {
        try {
            return nodes.node(owner).callEach(mine, left(deadline));
        } catch (LockBackendException e) {
            return Collections.nCopies(mine.size(), new Reply.Failed(e));
        }
    }

    /** Returns the commands that were not carried out and that another node may carry out. */
    private List<Integer> notCarriedOut(List<Integer> places, Deadline deadline) {
        List<Integer> again = new ArrayList<>();
        List<Integer> doubtful = new ArrayList<>();
        for (int place : places) {
            if (!(replies[place] instanceof Reply.Failed failed)) {
                continue;
            }
            RedisEndpoint node = asked[place];
            LockBackendException cause = failed.cause();
            if (cause.reason() == Reason.OUTCOME_UNKNOWN) {
                var unused = slots.refresh();
            } else if (cause.reason() == Reason.UNREACHABLE) {
                Optional<Redirection> redirection = node != null && cause instanceof ServerErrorException said
                        ? Redirection.of(said.error(), node)
                        : Optional.empty();
                if (redirection.isPresent() && !redirection.get().once()) {
                    slots.moved(redirection.get().slot(), redirection.get().target());
                    again.add(place);
                } else if (redirection.isPresent()
                        || (cause instanceof ServerErrorException said
                                && said.error().isTryAgain())) {
                    replies[place] = callAlone(commands.get(place), deadline);
                } else {
                    doubtful.add(place);
                }
            }
        }
        if (!doubtful.isEmpty()) {
            Waiting.until(env, slots.refresh(), deadline);
            SlotTable table = slots.table();
            for (int place : doubtful) {
                RedisEndpoint owner = table.owner(ClusterNode.slot(commands.get(place)));
                if (owner != null && !owner.equals(asked[place])) {
                    again.add(place);
                }
            }
        }
        return again;
    }

    private Reply callAlone(RedisCommand command, Deadline deadline) {
        try {
            return new Reply.Value(alone.call(command, left(deadline)));
        } catch (LockBackendException e) {
            return new Reply.Failed(e);
        }
    }

    private static Duration left(Deadline deadline) {
        return Duration.ofNanos(Math.max(1, deadline.nanosLeft()));
    }
}
