// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.ServerKey;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Servers behind TLS, by the trust store of the JVM. */
@Isolated("sets properties of the JVM")
class RedissonTlsTest {
    @TempDir
    private static Path directory;

    private static RedisServer server;
    private static FaultProxy trusted;
    private static FaultProxy untrusted;

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

    private static DistributedLockFactory factory(FaultProxy proxy) {
        return new RedissonStrategyProvider()
                .newFactory(LockConfig.builder()
                        .endpoints("rediss://:hunter2@localhost:" + proxy.port())
                        .commandTimeout(Fixture.PATIENCE)
                        .build());
    }

    @Test
    void aServerWithATrustedCertificateIsUsed() {
        try (DistributedLockFactory factory = factory(trusted)) {
            DistributedLock lock = factory.getLock(Fixture.NAME);
            lock.lock();
            assertThat(server.command("EXISTS", Fixture.NAME)).isEqualTo(1L);
            lock.unlock();
        }
    }

    @Test
    void aServerWithAnotherCertificateIsRefused() {
        try (DistributedLockFactory factory = factory(untrusted)) {
            assertThatThrownBy(factory.getLock(Fixture.NAME)::tryLock)
                    .isInstanceOfSatisfying(LockBackendException.class, e -> {
                        assertThat(e.reason()).isEqualTo(Reason.REFUSED);
                        assertThat(e).hasMessageContaining("trust store");
                        assertThat(e.getMessage()).doesNotContain("hunter2");
                    });
        }
    }
}
