// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.HashSlot;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Wire.Use;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node for one server, independent of the client library. */
public final class ClientNode implements RedisNode {
    private static final RedisCommand ASKING = RedisCommand.of("ASKING");

    private final Environment env;
    private final Failures failures;
    private final Wire wire;
    private final Lines lines;
    private final Transactions transactions;
    private final AcknowledgedCalls acknowledgedCalls;
    private final Subscriptions subscriptions;
    private final Subscriptions shardSubscriptions;
    private final @Nullable ServerAccess access;

    /** Whether the server has refused keys of different slots, as a server in cluster mode does. */
    private volatile boolean divided;

    /** The action when the server reports that a sharded channel belongs to another node. */
    private volatile Runnable onChannelMoved = () -> {};

    public ClientNode(Environment env, Failures failures, Wire wire, SubscriptionSource source) {
        this.env = env;
        this.failures = failures;
        this.wire = wire;
        this.access = wire.access();
        this.lines = new Lines(failures, wire, this::doubtSubscriptions);
        this.transactions = new Transactions(failures, lines, this::note);
        this.acknowledgedCalls = new AcknowledgedCalls(failures, lines, this::note);
        this.subscriptions = new Subscriptions(env, failures, source);
        this.shardSubscriptions = new Subscriptions(env, failures, source.sharded(), () -> onChannelMoved.run());
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return call(Use.SHARED, command, false, List.of(), timeout);
    }

    @Override
    public @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return call(Use.URGENT, command, false, List.of(), timeout);
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
        return call(Use.SHARED, command, false, new Undo(undo), timeout);
    }

    @Override
    public List<RedisLink.Reply> callInOrder(
            List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        return wire.run(Use.SHARED, () -> callInOrder(commands, new Undo(undo), deadline), deadline);
    }

    private List<RedisLink.Reply> callInOrder(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline) {
        Wire.Line line = lines.open(Use.SHARED, deadline);
        try {
            return settle(line, commands, line.exchange(commands, undo, deadline));
        } catch (NotSentException e) {
            // The last command was not sent, but the ones before it may have been.
            throw failures.broken(commands.get(0), e);
        }
    }

    /**
     * As {@link #call} or, with something to undo, {@link #callOrUndo}, for a node of a cluster that is about to get
     * the slot of the key: it is told so on the same connection.
     */
    public @Nullable Object callAsking(RedisCommand command, @Nullable Supplier<RedisCommand> undo, Duration timeout) {
        List<RedisCommand> behind = undo == null ? List.of() : new Undo(undo, ASKING);
        return call(Use.SHARED, command, true, behind, timeout);
    }

    private @Nullable Object call(
            Use use, RedisCommand command, boolean asking, List<RedisCommand> undo, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        return wire.run(use, () -> call(use, command, asking, undo, deadline), deadline);
    }

    private @Nullable Object call(
            Use use, RedisCommand command, boolean asking, List<RedisCommand> undo, Deadline deadline) {
        boolean again = false;
        while (true) {
            Wire.Line line = lines.open(use, deadline);
            try {
                Object reply = exchange(line, command, asking, undo, deadline);
                if (command.isScript() && reply instanceof ServerError error && error.isNoScript()) {
                    reply = exchange(line, command.inFull(), asking, undo, deadline);
                }
                return accept(line, command, reply);
            } catch (NotSentException e) {
                // The connection may have ended with the server's previous process, which says nothing about the
                // present one.
                if (again) {
                    throw failures.notSent(command, e);
                }
                again = true;
            }
        }
    }

    private static @Nullable Object exchange(
            Wire.Line line, RedisCommand command, boolean asking, List<RedisCommand> undo, Deadline deadline)
            throws NotSentException {
        if (!asking) {
            return line.exchange(List.of(command), undo, deadline).get(0);
        }
        List<@Nullable Object> replies = line.exchange(List.of(ASKING, command), undo, deadline);
        return replies.get(0) instanceof ServerError refused ? refused : replies.get(1);
    }

    /** Gives the connection back and returns the reply unless it is an error. */
    private @Nullable Object accept(Wire.Line line, RedisCommand command, @Nullable Object reply) {
        if (!(reply instanceof ServerError error)) {
            line.release();
            return reply;
        }
        note(error);
        if (error.isAboutServer()) {
            // Another process may have become responsible, as after a failover.
            line.retire();
        } else {
            line.release();
        }
        throw failures.answered(command, error);
    }

    private void note(ServerError error) {
        if (error.isAboutServer()) {
            doubtSubscriptions();
        }
        if (access != null && (error.isAboutServer() || error.isMoved() || error.isAsk())) {
            access.changed();
        }
        if (error.isCrossSlot()) {
            divided = true;
        }
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        return callAcknowledged(command, wanted, false, timeout);
    }

    /** As {@link #callAcknowledged}, for a node of a cluster that may be about to get the slot of the key. */
    public Acknowledged callAcknowledged(
            RedisCommand command, Acknowledgement wanted, boolean asking, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        return wire.run(
                AcknowledgedCalls.use(wanted),
                () -> acknowledgedCalls.run(command, wanted, asking, deadline),
                deadline);
    }

    @Override
    public List<RedisLink.Reply> callEach(List<RedisCommand> commands, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        try {
            return wire.run(Use.URGENT, () -> callEach(commands, deadline), deadline);
        } catch (LockBackendException e) {
            return Collections.nCopies(commands.size(), new RedisLink.Reply.Failed(e));
        }
    }

    private List<RedisLink.Reply> callEach(List<RedisCommand> commands, Deadline deadline) {
        boolean again = false;
        while (true) {
            Wire.Line line = lines.open(Use.URGENT, deadline);
            try {
                List<@Nullable Object> replies = line.exchange(commands, List.of(), deadline);
                sendUnknownScripts(line, commands, replies, deadline);
                return settle(line, commands, replies);
            } catch (NotSentException e) {
                if (again) {
                    throw failures.notSent(commands.get(0), e);
                }
                again = true;
            }
        }
    }

    /** Sends each script that the server did not know once in full, and fills in the replies. */
    private static void sendUnknownScripts(
            Wire.Line line, List<RedisCommand> commands, List<@Nullable Object> replies, Deadline deadline)
            throws NotSentException {
        Set<String> sent = new HashSet<>();
        List<Integer> places = new ArrayList<>();
        List<RedisCommand> repeated = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            RedisCommand command = commands.get(i);
            if (command.isScript() && replies.get(i) instanceof ServerError error && error.isNoScript()) {
                boolean first = sent.add(command.arguments().get(0));
                places.add(i);
                repeated.add(first ? command.inFull() : command);
            }
        }
        if (!repeated.isEmpty()) {
            List<@Nullable Object> late = line.exchange(repeated, List.of(), deadline);
            for (int i = 0; i < late.size(); i++) {
                replies.set(places.get(i), late.get(i));
            }
        }
    }

    private List<RedisLink.Reply> settle(Wire.Line line, List<RedisCommand> commands, List<@Nullable Object> replies) {
        List<RedisLink.Reply> settled = new ArrayList<>(commands.size());
        boolean retires = false;
        for (int i = 0; i < commands.size(); i++) {
            if (replies.get(i) instanceof ServerError error) {
                note(error);
                retires |= error.isAboutServer();
                settled.add(new RedisLink.Reply.Failed(failures.answered(commands.get(i), error)));
            } else {
                settled.add(new RedisLink.Reply.Value(replies.get(i)));
            }
        }
        if (retires) {
            line.retire();
        } else {
            line.release();
        }
        return settled;
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return transactIfEqual(key, expected, commands, false, timeout);
    }

    /** As {@link #transactIfEqual}, for a node of a cluster that may be about to get the slot of the key. */
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, boolean asking, Duration timeout) {
        return transact(List.of(key), List.of(expected), List.of(commands), Use.EXCLUSIVE, asking, timeout)
                .get(0);
    }

    @Override
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        return transactWhereEqual(keys, expected, commands, false, timeout);
    }

    /** As {@link #transactWhereEqual}, for a node of a cluster that may be about to get the slot of the keys. */
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, boolean asking, Duration timeout) {
        // These are renewals, or releases that nobody waits for: few calls, that must not wait behind the locks that
        // threads ask for.
        return transact(
                keys, expected, commands.stream().map(List::of).toList(), Use.URGENT_EXCLUSIVE, asking, timeout);
    }

    private List<@Nullable String> transact(
            List<String> keys,
            List<String> expected,
            List<List<RedisCommand>> commands,
            Use use,
            boolean asking,
            Duration timeout) {
        if (expected.stream().anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException(
                    "the expected value must not be empty: that stands for no string at all");
        }
        Transactions.Plan plan = new Transactions.Plan(keys, expected, commands);
        Deadline deadline = new Deadline(env, timeout);
        return wire.run(use, () -> transactions.run(plan, use, asking, deadline), deadline);
    }

    @Override
    public int slot(String key) {
        return divided ? HashSlot.of(key) : 0;
    }

    @Override
    public long generation(String key) {
        return access == null ? -1 : access.generation();
    }

    @Override
    public RedisLink openLink(Duration timeout) {
        return lines.openLink(new Deadline(env, timeout));
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return subscriptions.add(channel, listener);
    }

    @Override
    public boolean isSubscribed(String channel) {
        return subscriptions.isConfirmed(channel);
    }

    /** As {@link #subscribe}, to a sharded channel, which belongs to one node of a cluster. */
    public Watch subscribeSharded(String channel, Listener listener) {
        return shardSubscriptions.add(channel, listener);
    }

    /** Sets the action for a server that reports that a sharded channel belongs to another node. */
    public void onChannelMoved(Runnable action) {
        onChannelMoved = action;
    }

    @Override
    public void doubtSubscriptions() {
        subscriptions.doubt();
        shardSubscriptions.doubt();
    }

    @Override
    public void close() {
        subscriptions.close();
        shardSubscriptions.close();
        lines.close();
    }

    /** The undos that are sent behind a command whose reply is late. Built lazily, since that is rare. */
    private static final class Undo extends AbstractList<RedisCommand> {
        private final @Nullable RedisCommand before;
        private final Supplier<RedisCommand> undo;
        private @Nullable RedisCommand made;

        Undo(Supplier<RedisCommand> undo) {
            this(undo, null);
        }

        /** @param before what goes before it */
        Undo(Supplier<RedisCommand> undo, @Nullable RedisCommand before) {
            this.undo = undo;
            this.before = before;
        }

        @Override
        public RedisCommand get(int index) {
            if (before != null && index == 0) {
                return before;
            }
            RedisCommand command = made;
            if (command == null) {
                // Threads that race here build the same value.
                command = undo.get().inFull();
                made = command;
            }
            return command;
        }

        @Override
        public int size() {
            return before == null ? 1 : 2;
        }
    }

    @Override
    public String toString() {
        return "RedisNode[" + failures.server() + "]";
    }
}
