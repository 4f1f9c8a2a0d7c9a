// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.ServerStatus;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each server has a login of its own, and one of them is reached by TLS. */
class LoginTest {
    private static final String STORE_PASSWORD = "changeit";
    private static final List<String> USERS = List.of("anne", "bob", "cleo");

    @TempDir
    private static Path directory;

    private static final List<RedisServer> SERVERS = new ArrayList<>();
    private static FaultProxy tls;

    @BeforeAll
    static void startServers() throws Exception {
        for (String user : USERS) {
            RedisServer server = RedisServer.start();
            server.command("ACL", "SETUSER", user, "on", ">secret-of-" + user, "~interlock:*", "&interlock:*", "+@all");
            SERVERS.add(server);
        }
        tls = FaultProxy.tls(SERVERS.get(1), serverCertificate());
    }

    @AfterAll
    static void stopServers() {
        tls.close();
        SERVERS.forEach(RedisServer::close);
    }

    /** Makes a key with a certificate for localhost, and a file with the certificate. */
    private static SSLContext serverCertificate() throws Exception {
        Path store = directory.resolve("server.p12");
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=server", "-ext", "san=dns:localhost");
        keytool("-exportcert", "-rfc", "-file", directory.resolve("server.crt").toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, STORE_PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, STORE_PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static void keytool(String... what) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(Arrays.asList(what));
        command.addAll(List.of("-alias", "server", "-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
        command.addAll(List.of("-keystore", directory.resolve("server.p12").toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        assertThat(process.waitFor()).as("exit status of keytool").isZero();
    }

    /** The endpoints, each with a login or without. */
    private static String endpoints(Function<String, String> login) {
        return "redis://" + login.apply("anne") + "localhost:" + SERVERS.get(0).port() + ",rediss://"
                + login.apply("bob") + "localhost:" + tls.port() + ",redis://" + login.apply("cleo") + "localhost:"
                + SERVERS.get(2).port();
    }

    private static LockConfig config(String client, String endpoints) {
        return Fixture.trusting(LockConfig.builder())
                .endpoints(endpoints)
                .option("client", client)
                .option("tls-ca", directory.resolve("server.crt").toString())
                .build();
    }

    private static RedisCredentials credentials(String user) {
        return RedisCredentials.of(user, "secret-of-" + user);
    }

    /** Takes locks until each server has granted one, and checks the user that the factory logged in as. */
    private static void assertIsUsedByItsOwnUsers(DistributedLockFactory factory) {
        await().atMost(Fixture.PATIENCE).until(() -> {
            factory.getLock("logins").lock();
            boolean everywhere =
                    SERVERS.stream().allMatch(server -> server.command("GET", "interlock:{logins}") != null);
            factory.getLock("logins").unlock();
            return everywhere;
        });
        for (int i = 0; i < SERVERS.size(); i++) {
            assertThat(String.valueOf(SERVERS.get(i).command("CLIENT", "LIST"))).contains("user=" + USERS.get(i) + " ");
        }
        // One that owes an answer for long on a busy machine does not vote until it has caught up.
        await().atMost(Fixture.PATIENCE).until(() -> factory.servers().stream().allMatch(ServerStatus::voting));
        assertThat(factory.toString()).contains("localhost:" + tls.port()).doesNotContain("secret-of");
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce"})
    void eachEndpointHasAUserAPasswordAndTlsOfItsOwn(String client) {
        String endpoints = endpoints(user -> user + ":secret-of-" + user + "@");
        try (DistributedLockFactory factory = DistributedLocks.getInstance("redlock", config(client, endpoints))) {
            assertIsUsedByItsOwnUsers(factory);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce"})
    void credentialsAreSuppliedForEachServerUnlessItsEndpointHasSome(String client) {
        Function<RedisEndpoint, RedisCredentials> source =
                endpoint -> credentials(endpoint.port() == tls.port() ? "bob" : "cleo");
        String endpoints = endpoints(user -> user.equals("anne") ? "anne:secret-of-anne@" : "");
        try (DistributedLockFactory factory = RedlockLocks.builder()
                .config(config(client, endpoints))
                .connections(settings -> settings.credentialsByServer(source))
                .build()) {
            assertIsUsedByItsOwnUsers(factory);
        }
    }

    @Test
    void aSupplierForAllServersContradictsAPasswordInAnEndpointWithAndWithoutTls() {
        for (String contradicting : List.of("anne", "bob")) {
            LockConfig config = config("interlock", endpoints(user -> user.equals(contradicting) ? "u:p@" : ""));
            RedlockLocks locks = RedlockLocks.builder()
                    .config(config)
                    .connections(settings -> settings.credentials(() -> credentials("anne")));
            assertThatIllegalArgumentException()
                    .isThrownBy(locks::build)
                    .withMessageContaining("has a password, and there is a supplier of credentials too");
        }
    }
}
