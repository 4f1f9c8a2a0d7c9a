// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A Lettuce connection that does not reconnect. */
final class LettuceLink implements RedisLink {
    private final Environment env;
    private final Failures failures;
    private final LettuceClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean loggingIn = new AtomicBoolean();
    private volatile Optional<Login> login;

    LettuceLink(
            Environment env,
            Failures failures,
            LettuceClient client,
            LettuceSession<StatefulRedisConnection<String, String>> session) {
        this.env = env;
        this.failures = failures;
        this.client = client;
        this.connection = session.connection();
        this.login = session.login();
    }

    /** Logs in again, ahead of later commands. The connection stays in use meanwhile. */
    private void logInAgainIfDue() {
        Optional<Login> present = login;
        if (present.isEmpty() || !present.get().isDue(env.nanoTime()) || loggingIn.getAndSet(true)) {
            return;
        }
        client.dialer().logIn().whenComplete((next, failure) -> {
            if (next == null || next.isEmpty()) {
                endLogIn(Optional.ofNullable(failure));
                return;
            }
            AsyncCommand<String, String, Object> auth =
                    new LettuceCommand(next.get().command()).async();
            auth.whenComplete((reply, refusal) -> {
                login = refusal == null ? next : login;
                endLogIn(Optional.ofNullable(refusal));
            });
            connection.dispatch(auth);
        });
    }

    /** Completes an attempt to log in again. If it failed, the connection is closed, so that a new one reports why. */
    private void endLogIn(Optional<Throwable> failure) {
        if (failure.isPresent()) {
            close();
        }
        loggingIn.set(false);
    }

    @Override
    public Sent send(RedisCommand command, Consumer<Reply> onReply) {
        logInAgainIfDue();
        Transmission transmission = new Transmission(command, onReply);
        transmission.dispatch(command);
        return transmission;
    }

    @Override
    public boolean isOpen() {
        return !closed.get() && connection.isOpen();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            client.close(connection);
        }
    }

    @Override
    public void abort() {
        if (!closed.getAndSet(true)) {
            client.abort(connection);
        }
    }

    private final class Transmission implements Sent {
        private final RedisCommand command;
        private final Consumer<Reply> onReply;
        private final AtomicBoolean last;

        Transmission(RedisCommand command, Consumer<Reply> onReply) {
            this.command = command;
            this.onReply = onReply;
            this.last = new AtomicBoolean(!command.isScript());
        }

        void dispatch(RedisCommand form) {
            LettuceCommand outgoing = new LettuceCommand(form);
            AsyncCommand<String, String, Object> future = outgoing.async();
            future.whenComplete((value, failure) -> settle(outgoing, value, failure));
            connection.dispatch(future);
        }

        /**
         * Runs on the connection's own thread, so that commands that other threads send from now on go behind the ones
         * sent here.
         */
        private void settle(LettuceCommand outgoing, @Nullable Object value, @Nullable Throwable failure) {
            if (failure == null) {
                onReply.accept(new Reply.Value(value));
            } else if (failure instanceof RedisCommandExecutionException) {
                ServerError error = new ServerError(String.valueOf(failure.getMessage()));
                if (error.isNoScript() && last.compareAndSet(false, true)) {
                    dispatch(command.inFull());
                } else {
                    onReply.accept(failures.reply(command, error));
                    if (error.isNoScript()) {
                        command.loading()
                                .ifPresent(loading -> connection.dispatch(new LettuceCommand(loading).async()));
                    }
                }
            } else if (outgoing.isEncoded()) {
                onReply.accept(new Reply.Failed(failures.broken(command, failure)));
            } else {
                onReply.accept(new Reply.Failed(failures.notSent(command, new NotSentException(failure))));
            }
        }

        @Override
        public void doNotRepeat() {
            last.set(true);
        }
    }
}
