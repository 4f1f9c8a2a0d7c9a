// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Wire.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server behind a client library: what is the same for all of them. */
public final class ClientNode implements RedisNode {
    /** For how long a connection on which the server has answered is believed to be there. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long one that may be gone is waited for, at most: a new one takes no longer. */
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    private final Environment env;
    private final Failures failures;
    private final Wire wire;
    private final Subscriptions subscriptions;
    private volatile boolean closed;

    public ClientNode(Environment env, Failures failures, Wire wire, SubscriptionSource source) {
        this.env = env;
        this.failures = failures;
        this.wire = wire;
        this.subscriptions = new Subscriptions(env, failures.server(), source);
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return call(Use.SHARED, command, null, timeout);
    }

    @Override
    public @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return call(Use.URGENT, command, null, timeout);
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, RedisCommand undo, Duration timeout) {
        return call(Use.SHARED, command, undo.inFull(), timeout);
    }

    private @Nullable Object call(Use use, RedisCommand command, @Nullable RedisCommand undo, Duration timeout) {
        Deadline deadline = new Deadline(env, timeout);
        return wire.run(use, () -> call(use, command, undo, deadline), deadline);
    }

    private @Nullable Object call(Use use, RedisCommand command, @Nullable RedisCommand undo, Deadline deadline) {
        boolean again = false;
        while (true) {
            Wire.Line line = open(use, deadline);
            try {
                Object reply = line.exchange(List.of(command), undo, deadline).get(0);
                if (command.isScript() && reply instanceof ServerError error && error.isNoScript()) {
                    reply = line.exchange(List.of(command.inFull()), undo, deadline)
                            .get(0);
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

    private Wire.Line open(Use use, Deadline deadline) {
        while (true) {
            if (closed) {
                throw failures.closed(null);
            }
            Wire.Line line = wire.open(use, deadline);
            if (line.silentNanos() < TRUSTED_NANOS || answers(line, deadline)) {
                return line;
            }
        }
    }

    /** Whether a connection is still there: the network may have forgotten it, and the server ended it, without our being told. */
    private boolean answers(Wire.Line line, Deadline deadline) {
        try {
            line.exchange(List.of(RedisCommand.of("PING")), null, deadline.sooner(LONGEST_LOOK, 2));
            return true;
        } catch (NotSentException | LockBackendException e) {
            return false;
        }
    }

    /** Gives the connection back and returns the reply unless it is an error. */
    private @Nullable Object accept(Wire.Line line, RedisCommand command, @Nullable Object reply) {
        if (!(reply instanceof ServerError error)) {
            line.release();
            return reply;
        }
        LockBackendException failure = failures.answered(command, error);
        if (error.isAboutServer()) {
            // Another process may have become the one to ask, as after a fail-over.
            line.retire();
            subscriptions.doubt();
        } else {
            line.release();
        }
        throw failure;
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return transact(List.of(key), List.of(expected), List.of(commands), timeout)
                .get(0);
    }

    @Override
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        return transact(keys, expected, commands.stream().map(List::of).toList(), timeout);
    }

    private List<@Nullable String> transact(
            List<String> keys, List<String> expected, List<List<RedisCommand>> commands, Duration timeout) {
        if (expected.stream().anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException(
                    "the expected value must not be empty: that stands for no string at all");
        }
        return wire.run(
                Use.EXCLUSIVE, () -> transactOnALine(keys, expected, commands, timeout), new Deadline(env, timeout));
    }

    private List<@Nullable String> transactOnALine(
            List<String> keys, List<String> expected, List<List<RedisCommand>> commands, Duration timeout) {
        List<RedisCommand> look = new ArrayList<>();
        look.add(RedisCommand.of("WATCH", keys.toArray(String[]::new)));
        keys.forEach(key -> look.add(RedisCommand.of("GET", key)));
        RedisCommand exec = RedisCommand.of("EXEC");
        boolean again = false;
        while (true) {
            Wire.Line line = open(Use.EXCLUSIVE, new Deadline(env, timeout));
            try {
                List<@Nullable Object> looked = line.exchange(look, null, new Deadline(env, timeout));
                List<@Nullable String> found = strings(line, look, looked);
                List<RedisCommand> transaction = new ArrayList<>();
                transaction.add(RedisCommand.of("MULTI"));
                for (int i = 0; i < found.size(); i++) {
                    if (expected.get(i).equals(found.get(i))) {
                        transaction.addAll(commands.get(i));
                    }
                }
                if (transaction.size() == 1) {
                    line.exchange(List.of(RedisCommand.of("UNWATCH")), null, new Deadline(env, timeout));
                    line.release();
                    return found;
                }
                transaction.add(exec);
                List<@Nullable Object> done = line.exchange(transaction, null, new Deadline(env, timeout));
                rejectErrors(line, transaction, done);
                line.release();
                if (done.get(done.size() - 1) != null) {
                    return found;
                }
            } catch (NotSentException e) {
                if (again) {
                    throw failures.notSent(exec, e);
                }
                again = true;
            }
        }
    }

    /** Returns what keys were found to hold, which is nothing of use if it is no string. */
    private List<@Nullable String> strings(Wire.Line line, List<RedisCommand> look, List<@Nullable Object> looked) {
        for (int i = 1; i < looked.size(); i++) {
            if (looked.get(i) instanceof ServerError error && error.isWrongType()) {
                looked.set(i, "");
            }
        }
        rejectErrors(line, look, looked);
        List<@Nullable String> found = new ArrayList<>();
        looked.subList(1, looked.size()).forEach(value -> found.add((String) value));
        return found;
    }

    /** Throws for the first error, after giving up the connection, which may be left in the middle of a transaction. */
    private void rejectErrors(Wire.Line line, List<RedisCommand> commands, List<@Nullable Object> replies) {
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) instanceof ServerError error) {
                line.retire();
                if (error.isAboutServer()) {
                    subscriptions.doubt();
                }
                throw failures.answered(commands.get(i), error);
            }
        }
    }

    @Override
    public RedisLink openLink(Duration timeout) {
        if (closed) {
            throw failures.closed(null);
        }
        return wire.openLink(new Deadline(env, timeout));
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return subscriptions.add(channel, listener);
    }

    @Override
    public boolean isSubscribed(String channel) {
        return subscriptions.isConfirmed(channel);
    }

    @Override
    public void doubtSubscriptions() {
        subscriptions.doubt();
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.close();
        wire.close();
    }

    @Override
    public String toString() {
        return "RedisNode[" + failures.server() + "]";
    }
}
