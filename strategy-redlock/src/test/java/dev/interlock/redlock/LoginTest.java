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
import dev.interlock.testservers.ServerKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each server has a login of its own, and one of them is reached by TLS. */
class LoginTest {
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
        ServerKey key = ServerKey.make(directory, "server", "EC");
        Files.writeString(
                directory.resolve("server.crt"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(key.certificate().getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        tls = FaultProxy.tls(SERVERS.get(1), key.serverContext());
    }

    @AfterAll
    static void stopServers() {
        tls.close();
        SERVERS.forEach(RedisServer::close);
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
