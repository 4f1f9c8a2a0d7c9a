// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.ServerInfo;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerError;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens Lettuce connections to one server, logs them in, and has the first one examine the server. */
final class LettuceDialer {
    /** The pause before a connection that accepts no commands yet is tried again. */
    private static final long ACTIVATION_MILLIS = 1;

    private final Environment env;
    private final RedisClient client;
    private final RedisURI uri;
    private final Optional<ServerAccess> access;
    private final EventExecutorGroup timer;

    /**
     * Creates a dialer.
     *
     * @param uri where to, and with what to log in unless {@code access} says so
     * @param access what is known of the server, unless the client was handed in
     */
    LettuceDialer(Environment env, RedisClient client, RedisURI uri, Optional<ServerAccess> access) {
        this.env = env;
        this.client = client;
        this.uri = uri;
        this.access = access;
        this.timer = client.getResources().eventExecutorGroup();
    }

    /** Returns the longest time to open a connection. */
    Duration connectTimeout() {
        return uri.getTimeout();
    }

    /** Opens a connection for commands. */
    CompletableFuture<LettuceSession<StatefulRedisConnection<String, String>>> connect() {
        return open(server -> client.connectAsync(StringCodec.UTF8, server)
                .thenCompose(this::examine)
                .thenApply(this::count));
    }

    private <C> C count(C connection) {
        access.ifPresent(ServerAccess::changed);
        return connection;
    }

    Optional<ServerAccess> access() {
        return access;
    }

    /** Opens a connection for subscriptions. */
    CompletableFuture<LettuceSession<StatefulRedisPubSubConnection<String, String>>> connectPubSub() {
        return open(server -> client.connectPubSubAsync(StringCodec.UTF8, server));
    }

    private <C extends StatefulConnection<String, String>> CompletableFuture<LettuceSession<C>> open(
            Function<RedisURI, CompletionStage<C>> opening) {
        CompletableFuture<LettuceSession<C>> session = new CompletableFuture<>();
        try {
            if (access.isPresent()) {
                limit(session);
            }
            logIn().thenCompose(login -> opening.apply(server(login))
                            .thenApply(connection -> new LettuceSession<>(connection, login)))
                    .whenComplete((opened, failure) -> {
                        if (failure != null) {
                            session.completeExceptionally(failure);
                        } else if (!session.complete(opened)) {
                            opened.connection().closeAsync();
                        }
                    });
        } catch (RuntimeException e) {
            session.completeExceptionally(e);
        }
        return session;
    }

    private void limit(CompletableFuture<?> session) {
        ScheduledFuture<?> limit = timer.schedule(
                () -> session.completeExceptionally(new TimeoutException()),
                connectTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
        session.whenComplete((opened, failure) -> limit.cancel(false));
    }

    /** Fetches the credentials, on a thread of its own if that may block: Lettuce's threads must not. */
    CompletableFuture<Optional<Login>> logIn() {
        if (access.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ServerAccess server = access.get();
        if (!server.suppliesCredentials()) {
            return CompletableFuture.completedFuture(server.nextLogin());
        }
        CompletableFuture<Optional<Login>> login = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                login.complete(server.nextLogin());
            } catch (Throwable e) {
                login.completeExceptionally(e);
            }
        };
        env.newThread("interlock-credentials", task).start();
        return login;
    }

    private RedisURI server(Optional<Login> login) {
        if (login.isEmpty()) {
            return uri;
        }
        RedisURI.Builder builder = RedisURI.builder(uri);
        Login with = login.get();
        with.username()
                .ifPresentOrElse(
                        user -> builder.withAuthentication(user, (CharSequence) with.password()),
                        () -> builder.withPassword((CharSequence) with.password()));
        return builder.build();
    }

    private CompletableFuture<StatefulRedisConnection<String, String>> examine(
            StatefulRedisConnection<String, String> connection) {
        CompletableFuture<StatefulRedisConnection<String, String>> examined = new CompletableFuture<>();
        if (access.isPresent() && access.get().mustExamine()) {
            ask(access.get(), connection, examined);
        } else {
            examined.complete(connection);
        }
        return examined;
    }

    private void ask(
            ServerAccess server,
            StatefulRedisConnection<String, String> connection,
            CompletableFuture<StatefulRedisConnection<String, String>> examined) {
        LettuceCommand outgoing = new LettuceCommand(ServerInfo.COMMAND);
        AsyncCommand<String, String, Object> reply = outgoing.async();
        Instant asked = server.now();
        reply.whenComplete((value, failure) -> {
            boolean refused = failure instanceof RedisCommandExecutionException;
            if (failure != null && !refused && !outgoing.isEncoded() && connection.isOpen()) {
                // Lettuce hands out a connection that needs a login a moment before it accepts commands.
                timer.schedule(() -> ask(server, connection, examined), ACTIVATION_MILLIS, TimeUnit.MILLISECONDS);
            } else if (failure != null && !refused) {
                give(connection, examined, failure);
            } else {
                Object said = refused ? new ServerError(String.valueOf(failure.getMessage())) : value;
                try {
                    server.accept(ServerInfo.COMMAND, said, asked);
                    give(connection, examined, null);
                } catch (LockBackendException e) {
                    give(connection, examined, e);
                }
            }
        });
        connection.dispatch(reply);
    }

    private static void give(
            StatefulRedisConnection<String, String> connection,
            CompletableFuture<StatefulRedisConnection<String, String>> examined,
            @Nullable Throwable failure) {
        if (failure == null) {
            examined.complete(connection);
        } else {
            connection.closeAsync();
            examined.completeExceptionally(failure);
        }
    }

    /** Makes the next connection examine the server again. */
    void doubt() {
        access.ifPresent(ServerAccess::examineAgain);
    }
}
