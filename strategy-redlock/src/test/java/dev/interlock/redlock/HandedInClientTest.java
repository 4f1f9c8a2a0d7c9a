// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redlock.AttemptReport.Outcome;
import dev.interlock.testservers.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandedInClientTest {
    private final Fixture redis = new Fixture(3);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void connectionsOfOurOwnLogInAgainBeforeTheirCredentialsExpire() {
        redis.servers.forEach(
                server -> server.command("ACL SETUSER locker on >token ~interlock:* &interlock:* +@all".split(" ")));
        AtomicInteger asked = new AtomicInteger();
        LockConfig config = Fixture.trusting(LockConfig.builder())
                .endpoints(redis.endpoints())
                .build();
        try (DistributedLockFactory factory = RedlockLocks.builder()
                .config(config)
                .connections(settings -> settings.credentials(() -> {
                    asked.incrementAndGet();
                    return RedisCredentials.of("locker", "token")
                            .until(Instant.now().plusSeconds(2));
                }))
                .build()) {
            DistributedLock lock = factory.getLock("supplied");
            redis.warmUp(factory);
            List<String> before = connections();
            int first = asked.get();
            await().atMost(Fixture.PATIENCE).until(() -> {
                lock.lock();
                lock.unlock();
                return asked.get() >= first + redis.servers.size();
            });
            assertThat(connections())
                    .as("live connections have logged in again")
                    .containsAll(before);
        }
    }

    /** The command connections that are logged in as the user of these tests. */
    private List<String> connections() {
        return redis.servers.stream()
                .flatMap(server -> String.valueOf(server.command("CLIENT", "LIST"))
                        .lines()
                        .filter(line -> line.contains("user=locker") && line.contains(" sub=0 "))
                        .map(line -> server.port() + " " + line.split(" ", 2)[0]))
                .toList();
    }

    @Test
    void aLettuceClientIsUsedAndNotClosed() throws Exception {
        RedisClient client = RedisClient.create();
        try {
            List<RedisURI> uris = redis.proxies.stream()
                    .map(FaultProxy::uri)
                    .map(RedisURI::create)
                    .toList();
            LockConfig config = Fixture.trusting(LockConfig.builder())
                    .keyPrefix("app:locks")
                    .build();
            try (DistributedLockFactory factory = RedlockLocks.builder()
                    .lettuce(client, uris)
                    .config(config)
                    .onAttempt(reports::add)
                    .build()) {
                DistributedLock mine = factory.getLock("shared");
                mine.lock();
                await().atMost(Fixture.PATIENCE)
                        .until(() -> redis.servers.get(0).command("GET", "app:locks:{shared}") != null);
                DistributedLock theirs = redis.factory(
                                it -> Fixture.trusting(it).keyPrefix("app:locks"))
                        .getLock("shared");
                FutureTask<Object> waiter = Fixture.passing(theirs);
                mine.unlock();
                waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            try (StatefulRedisConnection<String, String> connection = client.connect(uris.get(0))) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown();
        }
        assertThat(reports).isNotEmpty();
        AttemptReport report = reports.get(0);
        assertThat(report.outcome()).isEqualTo(Outcome.GRANTED);
        assertThat(report.lockName()).isEqualTo("shared");
        assertThat(report.validity()).isPositive();
        assertThat(report.fencingToken()).isPresent();
        assertThat(report.nodes()).extracting(NodeReport::node).allMatch(name -> name.startsWith("127.0.0.1:"));
        assertThat(report.toString()).contains("lock \"shared\" granted after").contains("127.0.0.1:");
    }

    @Test
    void nodesThatAreHandedInAreUsed() {
        LockConfig config = Fixture.trusting(LockConfig.builder()).build();
        Environment env = Environment.system();
        List<String> connected = new CopyOnWriteArrayList<>();
        try (DistributedLockFactory factory = RedlockLocks.builder()
                .config(config)
                .nodes(
                        redis.servers.stream()
                                .map(server -> "127.0.0.1:" + server.port())
                                .toList(),
                        address -> {
                            connected.add(address);
                            return RedisNodes.open(
                                            ClientLibrary.INTERLOCK,
                                            List.of(RedisEndpoint.parse("redis://" + address)),
                                            ConnectionSettings.of(config),
                                            env)
                                    .get(0);
                        },
                        env)
                .onAttempt(reports::add)
                .build()) {
            factory.getLock("over nodes").lock();
        }
        assertThat(connected)
                .containsExactlyElementsOf(redis.servers.stream()
                        .map(server -> "127.0.0.1:" + server.port())
                        .toList());
        assertThat(reports).extracting(AttemptReport::outcome).contains(Outcome.GRANTED);
    }

    @Test
    void theConfigurationAppliesToAHandedInClient() {
        RedisClient client = RedisClient.create();
        try {
            List<RedisURI> uris = List.of(RedisURI.create("redis://a.invalid"));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedlockLocks.builder()
                            .lettuce(client, uris)
                            .config(LockConfig.builder().option("nonsense", "1").build())
                            .build())
                    .withMessageContaining("nonsense");
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            RedlockLocks.builder().lettuce(client, List.of()).build())
                    .withMessageContaining("1 to 9 servers");
        } finally {
            client.shutdown();
        }
    }
}
