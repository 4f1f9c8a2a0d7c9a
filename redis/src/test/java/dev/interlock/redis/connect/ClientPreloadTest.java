// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.redis.connect.RedisNodeContract.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.client.combining.CombiningConnector;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Isolated("looks at all threads of the JVM")
class ClientPreloadTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private static void preload(Function<ConnectionSettings, ServerConnector> connectors, Duration connectTimeout) {
        ConnectionSettings settings =
                ConnectionSettings.builder().connectTimeout(connectTimeout).build();
        ClientPreload.once("a library of this test " + NAMES.incrementAndGet(), connectors, settings, false);
    }

    private static ServerConnector connector(ClientLibrary library, ConnectionSettings settings) {
        Environment env = Environment.system();
        return switch (library) {
            case JEDIS -> new JedisConnector(env, settings);
            case LETTUCE -> new LettuceConnector(env, settings);
            case INTERLOCK -> new CombiningConnector(env, settings);
        };
    }

    /** Looks at the endpoint before it connects. */
    private static ServerConnector after(Function<RedisEndpoint, RuntimeException> look, ServerConnector connector) {
        return new ServerConnector() {
            @Override
            public ClientNode connect(RedisEndpoint server) {
                RuntimeException failure = look.apply(server);
                if (failure != null) {
                    throw failure;
                }
                return connector.connect(server);
            }

            @Override
            public void close() {
                connector.close();
            }
        };
    }

    @ParameterizedTest
    @EnumSource(ClientLibrary.class)
    void noThreadIsLeftOfTheConversation(ClientLibrary library) {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        AtomicInteger connected = new AtomicInteger();

        preload(
                settings -> after(
                        server -> {
                            connected.incrementAndGet();
                            return null;
                        },
                        connector(library, settings)),
                LONG);

        assertThat(connected).hasValue(1);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(threadsSince(before)).isEmpty());
    }

    /** The threads that a node, or a library under it, has started. Netty keeps two for the JVM. */
    private static Set<String> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.contains("interlock") || name.contains("lettuce") || name.contains("jedis"))
                .collect(Collectors.toSet());
    }

    @Test
    void aFailureIsNobodysConcern() {
        preload(
                settings -> {
                    throw new IllegalStateException("on purpose");
                },
                LONG);
        preload(
                settings -> after(
                        server -> new LockBackendException(LockBackendException.Reason.UNREACHABLE, "on purpose"),
                        connector(ClientLibrary.JEDIS, settings)),
                LONG);
    }

    @Test
    void itTakesNoLongerThanSecondsWhateverTimeConnectionsHave() {
        AtomicReference<Duration> given = new AtomicReference<>();

        preload(
                settings -> {
                    given.set(settings.connectTimeout());
                    throw new IllegalStateException("enough");
                },
                Duration.ofHours(1));

        assertThat(given.get()).isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aStrangerWhoConnectsAndSaysNothingIsNotKept() throws Exception {
        AtomicReference<Socket> stranger = new AtomicReference<>();
        Set<Thread> before = Thread.getAllStackTraces().keySet();

        preload(
                settings -> after(
                        server -> {
                            try {
                                stranger.set(new Socket(server.host(), server.port()));
                                return null;
                            } catch (IOException e) {
                                return new UncheckedIOException(e);
                            }
                        },
                        connector(ClientLibrary.JEDIS, settings)),
                Duration.ofSeconds(1));

        try (Socket silent = stranger.get()) {
            assertThat(silent.isConnected()).isTrue();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(threadsSince(before)).isEmpty());
        }
    }
}
