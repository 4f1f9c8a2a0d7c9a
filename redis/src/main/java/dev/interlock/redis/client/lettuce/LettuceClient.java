// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.EpollProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A Lettuce client that never repeats a command, and its target. */
public final class LettuceClient {
    private static final int THREADS = 2;

    /** The number of keep-alive probes that may go unanswered, over the same time as the idle time before the first. */
    private static final int PROBES = 3;

    private static final int STOP_SECONDS = 2;

    private final Environment env;
    private final RedisClient client;
    private final LettuceDialer dialer;
    private final @Nullable OwnThreads ownThreads;
    private final Set<CompletableFuture<Void>> closing = ConcurrentHashMap.newKeySet();

    /** Threads that several clients share. They end when all clients and their creator have released them. */
    static final class OwnThreads {
        private final AtomicInteger users = new AtomicInteger(1);
        private final ClientResources resources = DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .nettyCustomizer(new HardClose())
                .build();

        private OwnThreads retain() {
            users.incrementAndGet();
            return this;
        }

        void release(Environment env) {
            if (users.decrementAndGet() == 0) {
                CompletableFuture<Void> stopped = new CompletableFuture<>();
                resources.shutdown(0, STOP_SECONDS, TimeUnit.SECONDS).addListener(done -> stopped.complete(null));
                Waiting.until(env, stopped, new Deadline(env, Duration.ofSeconds(2 * STOP_SECONDS)));
            }
        }
    }

    private LettuceClient(
            Environment env,
            RedisClient client,
            RedisURI uri,
            Optional<ServerAccess> access,
            @Nullable OwnThreads ownThreads) {
        this.env = env;
        this.client = client;
        this.dialer = new LettuceDialer(env, client, uri, access);
        this.ownThreads = ownThreads;
    }

    static LettuceClient own(Environment env, ServerAccess access, OwnThreads threads) {
        RedisClient client = RedisClient.create(threads.resources);
        client.setOptions(MaintenanceNotices.switchOff(once(ClientOptions.builder()))
                .protocolVersion(ProtocolVersion.RESP2)
                .socketOptions(socketOptions(access.settings()))
                .sslOptions(sslOptions(access.settings()))
                .build());
        return new LettuceClient(
                env, client, uri(access.endpoint(), access.settings()), Optional.of(access), threads.retain());
    }

    private static SocketOptions socketOptions(ConnectionSettings settings) {
        Duration idle = settings.keepAlive();
        Duration interval = Duration.ofSeconds(Math.max(1, idle.toSeconds() / PROBES));
        SocketOptions.Builder options = SocketOptions.builder()
                .connectTimeout(settings.connectTimeout())
                .keepAlive(SocketOptions.KeepAliveOptions.builder()
                        .enable()
                        .idle(idle)
                        .interval(interval)
                        .count(PROBES)
                        .build());
        if (EpollProvider.isAvailable()) {
            // The JDK's own sockets do not have this option.
            options.tcpUserTimeout(SocketOptions.TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(idle.multipliedBy(2))
                    .build());
        }
        return options.build();
    }

    private static SslOptions sslOptions(ConnectionSettings settings) {
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider().handshakeTimeout(settings.connectTimeout());
        settings.sslContext()
                .ifPresent(context ->
                        options.sslContext(builder -> builder.sslContextProvider(new FixedContextProvider(context))));
        return options.build();
    }

    /**
     * Creates a client that shares the threads and options of another client. Unlike the other's connections, its own
     * never repeat a command after a reconnection.
     */
    public static LettuceClient of(Environment env, AbstractRedisClient other, RedisURI uri) {
        RedisClient client = RedisClient.create(other.getResources());
        client.setOptions(once(other.getOptions().mutate()).build());
        return new LettuceClient(env, client, uri.getTimeout().isZero() ? bounded(uri) : uri, Optional.empty(), null);
    }

    /**
     * Replaces a time-out of zero, which means no limit to Lettuce: a log-in needs a limit, and so does a subscription
     * thread.
     */
    private static RedisURI bounded(RedisURI uri) {
        RedisURI.Builder builder = RedisURI.builder(uri).withTimeout(RedisURI.DEFAULT_TIMEOUT_DURATION);
        // The copy has no sentinels, and shares the time-out with them.
        uri.getSentinels()
                .forEach(sentinel ->
                        builder.withSentinel(RedisURI.builder(sentinel).build()));
        if (uri.getSentinelMasterId() != null) {
            builder.withSentinelMasterId(uri.getSentinelMasterId());
        }
        return builder.build();
    }

    private static ClientOptions.Builder once(ClientOptions.Builder options) {
        return options.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build());
    }

    private static RedisURI uri(RedisEndpoint endpoint, ConnectionSettings settings) {
        RedisURI.Builder builder = RedisURI.builder()
                .withHost(endpoint.host())
                .withPort(endpoint.port())
                .withSsl(endpoint.tls())
                .withVerifyPeer(SslVerifyMode.FULL)
                .withDatabase(endpoint.database())
                .withTimeout(settings.connectTimeout())
                // Otherwise Lettuce would need a permission that access control lists need not grant.
                .withLibraryName("")
                .withLibraryVersion("");
        settings.clientName().ifPresent(builder::withClientName);
        return builder.build();
    }

    LettuceDialer dialer() {
        return dialer;
    }

    /** Closes a connection, without waiting for its end. */
    @SuppressWarnings("CollectionUndefinedEquality") // The very same future is what is meant.
    public void close(StatefulConnection<?, ?> connection) {
        CompletableFuture<Void> closed = connection.closeAsync();
        closing.add(closed);
        closed.whenComplete((done, failure) -> closing.remove(closed));
    }

    /**
     * Closes a connection, and discards what it has not delivered. With the threads of another client, it is closed as
     * any other.
     */
    void abort(StatefulConnection<String, String> connection) {
        if (ownThreads != null) {
            HardClose.begin(connection);
        }
        close(connection);
    }

    /** Closes all connections, and ends the threads if they are ours and nobody else uses them. Called once. */
    public void close() {
        Deadline deadline = new Deadline(env, Duration.ofSeconds(2 * STOP_SECONDS));
        // Otherwise Lettuce would warn about closing a closed connection.
        Waiting.until(env, CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)), deadline);
        Waiting.until(env, client.shutdownAsync(0, STOP_SECONDS, TimeUnit.SECONDS), deadline);
        if (ownThreads != null) {
            ownThreads.release(env);
        }
    }
}
