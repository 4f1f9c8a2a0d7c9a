// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks on a cluster, by a user who may do no more than the documentation says. */
@Tag("deep")
class SlotsTest {
    private static ClusterServers cluster;

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        cluster = ClusterServers.start();
        for (RedisServer node : cluster.nodes()) {
            node.command(CommandsTest.documentedList(1).replace(">…", ">s3cret").split(" "));
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void closeAndLookForRefusals() {
        factories.forEach(DistributedLockFactory::close);
        for (RedisServer node : cluster.nodes()) {
            assertThat(node.command("DBSIZE")).as("keys that are left").isEqualTo(0L);
            assertThat((List<?>) node.command("ACL", "LOG"))
                    .as("commands that were refused")
                    .isEmpty();
        }
    }

    private DistributedLockFactory factory(String clock) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "setnx-getset",
                LockConfig.builder()
                        .endpoints(cluster.uri().replace("://", "://locker:s3cret@"))
                        .commandTimeout(Fixture.PATIENCE)
                        .option("clock", clock)
                        .build());
        factories.add(factory);
        return factory;
    }

    private static RedisServer owner(String name) {
        return cluster.nodeOfSlot(cluster.slotOf("lock." + name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "server", "observed"})
    void aLockIsRenewedAndReleasedWhileItsSlotIsOnItsWay(String clock) throws Exception {
        String name = "moving-" + clock;
        DistributedLock mine = factory(clock).getLock(name, Fixture.abandoned(Fixture.HOUR));
        DistributedLock theirs = factory(clock).getLock(name, Fixture.abandoned(Duration.ofSeconds(1)));
        mine.lock();
        assertThat(theirs.tryLock()).isFalse();
        RedisServer source = owner(name);
        RedisServer target = cluster.primaries().stream()
                .filter(node -> node.port() != source.port())
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(cluster.slotOf("lock." + name), target);
        migration.moveKeys();
        assertThat(target.command("DBSIZE")).isEqualTo(1L);
        Lease lease = mine.lease().orElseThrow();
        Duration longer = Fixture.HOUR.minus(Duration.ofSeconds(40));
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().compareTo(longer) < 0);
        lease.ensureValid(longer);
        assertThat(theirs.tryLock()).isFalse();
        mine.unlock();
        assertThat(target.command("DBSIZE")).isEqualTo(0L);
        assertThat(theirs.tryLock())
                .as("at the node that is about to get the slot")
                .isTrue();
        migration.finish();
        cluster.awaitSettled();
        assertThat(mine.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("a take-over")
                .isTrue();
        mine.unlock();
    }

    @Test
    void locksOfAllNodesAreReleasedAtTheCloseAlsoWhereMemoryIsFull() {
        DistributedLockFactory factory = factory("client");
        for (int i = 0; i < 30; i++) {
            factory.getLock("held" + i, Fixture.abandoned(Fixture.HOUR)).lock();
        }
        assertThat(cluster.primaries())
                .allSatisfy(node -> assertThat((Long) node.command("DBSIZE")).isPositive());
        RedisServer full = cluster.primaries().get(0);
        full.command("CONFIG", "SET", "maxmemory", "1");
        factory.close();
        full.command("CONFIG", "SET", "maxmemory", "0");
    }

    private static LeaseProtocol protocol(String uri) {
        LockConfig config = LockConfig.builder()
                .endpoints(uri)
                .commandTimeout(Fixture.PATIENCE)
                .build();
        return SetnxGetsetProtocol.newProtocol(
                RedisNodes.open(ClientLibrary.INTERLOCK, config, Environment.system()),
                Settings.of(config),
                config,
                Environment.system());
    }

    private static List<Claim> held(LeaseProtocol protocol, List<String> names) {
        return names.stream()
                .map(name -> {
                    Claim claim = new Claim(name, Environment.system().newToken(), Fixture.HOUR, Fixture.PATIENCE, 1);
                    assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
                    return claim;
                })
                .toList();
    }

    private static long transactions(RedisServer server) {
        return server.commandStats().getOrDefault("exec", 0L);
    }

    @Test
    void locksOfOneSlotAreRenewedTogetherAndOneByOneWhileTheSlotIsOnItsWay() throws Exception {
        LeaseProtocol protocol = protocol(cluster.uri().replace("://", "://locker:s3cret@"));
        List<Claim> claims = held(protocol, List.of("{s}1", "{s}2", "{s}3", "{s}4"));
        RedisServer source = owner("{s}");
        long before = transactions(source);
        assertThat(protocol.renew(claims)).hasSize(4).hasOnlyElementsOfType(Renewal.Renewed.class);
        assertThat(transactions(source) - before).isEqualTo(1);

        RedisServer target = cluster.primaries().stream()
                .filter(node -> node.port() != source.port())
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(cluster.slotOf("s"), target);
        migration.moveKeys(List.of("lock.{s}1", "lock.{s}3"));
        assertThat(protocol.renew(claims)).as("torn apart").hasSize(4).hasOnlyElementsOfType(Renewal.Renewed.class);
        migration.finish();
        cluster.awaitSettled();
        assertThat(protocol.renew(claims)).hasSize(4).hasOnlyElementsOfType(Renewal.Renewed.class);
        protocol.releaseAll(claims);
        protocol.close();
    }

    /** The cluster asks to try again for as long as the keys are apart, which takes the whole time-out. */
    @Test
    void locksOfATornSlotAreRenewedWithAShortTimeOut() throws Exception {
        LeaseProtocol protocol = protocol(cluster.uri().replace("://", "://locker:s3cret@"));
        List<Claim> claims = held(protocol, List.of("{short}1", "{short}2", "{short}3"));
        RedisServer source = owner("{short}");
        RedisServer target = cluster.primaries().stream()
                .filter(node -> node.port() != source.port())
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(cluster.slotOf("short"), target);
        migration.moveKeys(List.of("lock.{short}2"));
        List<Claim> hasty = claims.stream()
                .map(claim -> claim.withTimeout(Duration.ofMillis(300)))
                .toList();
        // A busy machine may need longer than that, but not each time.
        await().atMost(Fixture.PATIENCE)
                .untilAsserted(() -> assertThat(protocol.renew(hasty)).hasOnlyElementsOfType(Renewal.Renewed.class));
        migration.moveKeys();
        migration.finish();
        cluster.awaitSettled();
        protocol.releaseAll(claims);
        protocol.close();
    }

    @Test
    void aSingleServerThatTurnsOutToBeInClusterModeRenewsAndReleasesLocksOfEachSlot() {
        RedisServer server = cluster.primaries().get(0);
        LeaseProtocol protocol = protocol(server.uri());
        List<String> names = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "any" + i)
                .filter(name -> owner(name).port() == server.port())
                .limit(5)
                .toList();
        List<Claim> claims = held(protocol, names);
        assertThat(protocol.renew(claims)).hasSize(5).hasOnlyElementsOfType(Renewal.Renewed.class);
        assertThat(protocol.renew(claims)).hasSize(5).hasOnlyElementsOfType(Renewal.Renewed.class);
        protocol.releaseAll(claims);
        protocol.close();

        LeaseProtocol another = protocol(server.uri());
        another.releaseAll(held(another, names));
        another.close();
    }
}
