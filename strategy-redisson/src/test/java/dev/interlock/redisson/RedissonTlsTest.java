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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Servers behind TLS, by the trust store of the JVM. */
@Isolated("sets properties of the JVM")
class RedissonTlsTest {
    private static final String STORE_PASSWORD = "changeit";

    @TempDir
    private static Path directory;

    private static RedisServer server;
    private static FaultProxy trusted;
    private static FaultProxy untrusted;

    @BeforeAll
    static void startServers() throws Exception {
        server = RedisServer.start("--requirepass", "hunter2");
        Path trustedKeys = makeKeys("trusted");
        trusted = FaultProxy.tls(server, context(trustedKeys));
        untrusted = FaultProxy.tls(server, context(makeKeys("untrusted")));
        System.setProperty("javax.net.ssl.trustStore", trustedKeys.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", STORE_PASSWORD);
    }

    @AfterAll
    static void stopServers() {
        System.clearProperty("javax.net.ssl.trustStore");
        System.clearProperty("javax.net.ssl.trustStorePassword");
        trusted.close();
        untrusted.close();
        server.close();
    }

    /** Makes a key with a certificate for localhost. */
    private static Path makeKeys(String name) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        STORE_PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
        assertThat(keytool.waitFor()).as("exit status of keytool").isZero();
        return store;
    }

    private static SSLContext context(Path keys) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, STORE_PASSWORD.toCharArray());
        }
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keyManagers.init(store, STORE_PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers.getKeyManagers(), null, null);
        return context;
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
