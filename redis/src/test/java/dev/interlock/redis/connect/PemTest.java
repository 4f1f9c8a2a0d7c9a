// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.ServerKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * TLS with certificates and keys from PEM files: the server's issuer, and a client certificate that the server asks
 * for.
 */
class PemTest {
    private static final RedisCommand PING = RedisCommand.of("PING");
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private static Path directory;

    private static RedisServer server;
    private static FaultProxy proxy;

    @BeforeAll
    static void startServers() throws Exception {
        make("server", "EC");
        make("rsa", "RSA");
        make("ec", "EC");
        Files.writeString(
                directory.resolve("clients.crt"),
                "A text before the first certificate.\n" + read("rsa.crt") + read("ec.crt"));
        write("encrypted.key", "ENCRYPTED PRIVATE KEY", new byte[] {1});
        write("old.key", "RSA PRIVATE KEY", new byte[] {1});
        write("broken.key", "PRIVATE KEY", new byte[] {1});
        Files.writeString(directory.resolve("empty.crt"), "");
        server = RedisServer.start();
        proxy = FaultProxy.mutualTls(
                server,
                ConnectionSettings.of(config("clients.crt", "server.crt", "server.key"))
                        .sslContext()
                        .orElseThrow());
    }

    @AfterAll
    static void stopServers() {
        proxy.close();
        server.close();
    }

    private static void make(String name, String algorithm) throws Exception {
        ServerKey key = ServerKey.make(directory, name, algorithm);
        write(name + ".crt", "CERTIFICATE", key.certificate().getEncoded());
        write(name + ".key", "PRIVATE KEY", key.privateKey().getEncoded());
    }

    private static void write(String file, String label, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n");
    }

    private static String read(String file) throws IOException {
        return Files.readString(directory.resolve(file));
    }

    private static LockConfig config(String issuers, String certificate, String key) {
        LockConfig.Builder config = LockConfig.builder().commandTimeout(LONG);
        config.option("tls-ca", directory.resolve(issuers).toString());
        if (!certificate.equals("-")) {
            config.option("tls-certificate", directory.resolve(certificate).toString());
        }
        if (!key.equals("-")) {
            config.option("tls-key", directory.resolve(key).toString());
        }
        return config.build();
    }

    private static RedisNode open(String library, LockConfig config) {
        RedisEndpoint endpoint = RedisEndpoint.parse(proxy.uri());
        return library.equals("jedis")
                ? RedisNodes.jedis(endpoint, config, Environment.system())
                : RedisNodes.lettuce(endpoint, config, Environment.system());
    }

    @ParameterizedTest
    @CsvSource({"jedis, rsa", "lettuce, ec"})
    void aClientCertificateIsShownAndTheIssuerOfTheServersIsAccepted(String library, String kind) throws Exception {
        try (RedisNode node = open(library, config("server.crt", kind + ".crt", kind + ".key"))) {
            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
            CountDownLatch subscribed = new CountDownLatch(1);
            node.subscribe("channel", subscribed::countDown);
            assertThat(subscribed.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"jedis", "lettuce"})
    void aServerOfAnotherIssuerIsRefused(String library) {
        try (RedisNode node = open(library, config("ec.crt", "rsa.crt", "rsa.key"))) {
            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(PING, LONG));
            assertThat(failure.reason()).isEqualTo(REFUSED);
            assertThat(failure)
                    .hasMessageContaining("certificate that is not accepted")
                    .hasMessageContaining("tls-ca");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "absent.crt, -, -, absent.crt does not exist",
        "empty.crt, -, -, empty.crt holds no certificate in PEM format",
        "server.crt, rsa.crt, -, set both tls-certificate and tls-key",
        "server.crt, rsa.crt, absent.key, absent.key does not exist",
        "server.crt, rsa.crt, rsa.crt, rsa.crt holds no private key in PKCS#8 format",
        "server.crt, rsa.crt, old.key, old.key holds no private key in PKCS#8 format",
        "server.crt, rsa.crt, encrypted.key, encrypted.key holds a key that is encrypted",
        "server.crt, rsa.crt, broken.key, broken.key holds a private key that this JVM cannot read",
        "server.crt, rsa.crt, ec.key, is not that of the first certificate in",
        "server.crt, rsa.key, rsa.key, rsa.key holds no certificate in PEM format",
    })
    void filesThatCannotBeUsedAreNamed(String issuers, String certificate, String key, String explanation) {
        LockConfig config = config(issuers, certificate, key);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectionSettings.of(config))
                .withMessageContaining(explanation);
    }

    @Test
    void certificatesForAnEndpointWithoutTlsAreAnError() {
        RedisEndpoint endpoint = RedisEndpoint.parse(server.uri());
        LockConfig config = config("server.crt", "-", "-");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisNodes.jedis(endpoint, config, Environment.system()))
                .withMessageContaining("rediss://");
    }
}
