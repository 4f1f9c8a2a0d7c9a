// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.ServerKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS with the trust store of the JVM, which must not have been read before: no other test of this module uses it. */
class TlsTest {
    private static final RedisCommand PING = RedisCommand.of("PING");
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private static Path directory;

    private static RedisServer server;
    private static FaultProxy trusted;
    private static FaultProxy untrusted;

    enum Library {
        JEDIS,
        LETTUCE,
        INTERLOCK;

        RedisNode open(String uri) {
            RedisEndpoint endpoint = RedisEndpoint.parse(uri);
            LockConfig config = LockConfig.builder().commandTimeout(LONG).build();
            return switch (this) {
                case JEDIS -> RedisNodes.jedis(endpoint, config, Environment.system());
                case LETTUCE -> RedisNodes.lettuce(endpoint, config, Environment.system());
                case INTERLOCK -> RedisNodes.interlock(endpoint, config, Environment.system());
            };
        }
    }

    @BeforeAll
    static void startServers() throws Exception {
        server = RedisServer.start("--requirepass", "hunter2");
        ServerKey key = ServerKey.make(directory, "trusted", "EC");
        trusted = FaultProxy.tls(server, key.serverContext());
        untrusted = FaultProxy.tls(
                server, ServerKey.make(directory, "untrusted", "EC").serverContext());
        System.setProperty("javax.net.ssl.trustStore", key.file().toString());
        System.setProperty("javax.net.ssl.trustStorePassword", ServerKey.PASSWORD);
    }

    @AfterAll
    static void stopServers() {
        System.clearProperty("javax.net.ssl.trustStore");
        System.clearProperty("javax.net.ssl.trustStorePassword");
        trusted.close();
        untrusted.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void aCertificateThatIsTrustedAndNamesTheHostIsAccepted(Library library) throws Exception {
        try (RedisNode node = library.open("rediss://:hunter2@localhost:" + trusted.port())) {
            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
            CountDownLatch subscribed = new CountDownLatch(1);
            node.subscribe("channel", subscribed::countDown);
            assertThat(subscribed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void repliesThatNoCallerReadsAreSweptUpWhileCallersGoOn() {
        try (RedisNode node = Library.INTERLOCK.open("rediss://:hunter2@localhost:" + trusted.port())) {
            RedisLink link = node.openLink(LONG);
            CompletableFuture<RedisLink.Reply> left = new CompletableFuture<>();
            link.send(PING, left::complete);
            await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> {
                link.send(PING, reply -> {});
                link.flush();
                return left.isDone();
            });
            assertThat(left.join()).isEqualTo(new RedisLink.Reply.Value("PONG"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCertificateThatIsNotTrustedIsRefused(Library library) {
        assertRefused(library, "rediss://:hunter2@localhost:" + untrusted.port());
    }

    @ParameterizedTest
    @EnumSource
    void aCertificateForAnotherHostIsRefused(Library library) {
        assertRefused(library, "rediss://:hunter2@127.0.0.1:" + trusted.port());
    }

    private static void assertRefused(Library library, String uri) {
        try (RedisNode node = library.open(uri)) {
            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(PING, LONG));
            assertThat(failure).as("a failure").isNotNull();
            assertThat(failure.reason()).isEqualTo(REFUSED);
            assertThat(failure).hasMessageContaining("certificate");
            assertThat(failure.getMessage()).doesNotContain("hunter2");
        }
    }
}
