// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static dev.interlock.setnxpx.Fixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.setnxpx.intercept.Overhearing;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The lock on a cluster of three primaries, which the tests share and leave whole. */
@ParameterizedClass
@MethodSource("clients")
@Tag("both-legs")
class ClusterTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Longer than any test, so that no waiter asks again by itself. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    private static ClusterServers cluster;

    @Parameter
    String client;

    static String[] clients() {
        return OnChosenClients.clients();
    }

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = ClusterServers.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
    }

    private DistributedLockFactory factory(String... options) {
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(cluster.uri())
                .commandTimeout(PATIENCE)
                .waitCeiling(NEVER)
                .option("client", client);
        for (int i = 0; i < options.length; i += 2) {
            config.option(options[i], options[i + 1]);
        }
        DistributedLockFactory factory = DistributedLocks.getInstance("set-nx-px", config.build());
        factories.add(factory);
        return factory;
    }

    private static RedisServer owner(String name) {
        return cluster.nodeOfSlot(cluster.slotOf(Fixture.key(name)));
    }

    private static RedisServer stranger(String name) {
        RedisServer owner = owner(name);
        return cluster.primaries().stream()
                .filter(server -> server.port() != owner.port())
                .findFirst()
                .orElseThrow();
    }

    private static void awaitQueued(String name) {
        await().atMost(PATIENCE)
                .until(() -> Long.valueOf(1).equals(owner(name).command("ZCARD", Fixture.key(name) + ":waiting")));
    }

    @Test
    void aReleaseHandsTheLockToTheWaiterByAMessageInTheSlotOfTheLock() throws Exception {
        String name = client + "-handed-over";
        DistributedLock mine = factory().getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory().getLock(name, Fixture.lease(MINUTE));
        mine.lock();
        long first = mine.lease().orElseThrow().fencingToken().orElseThrow();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        awaitQueued(name);
        mine.unlock();

        assertThat(waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .fencingToken()
                        .orElseThrow())
                .isGreaterThan(first);
    }

    @Test
    void aReleaseWakesTheWaitersOfPubsubInTheSlotOfTheLock() throws Exception {
        String name = client + "-woken";
        String channel = Fixture.key(name) + ":freed";
        DistributedLock mine = factory("wakeup", "pubsub").getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory("wakeup", "pubsub").getLock(name, Fixture.lease(MINUTE));
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        await().atMost(PATIENCE)
                .until(() ->
                        owner(name).command("PUBSUB", "SHARDNUMSUB", channel).equals(List.of(channel, 1L)));
        mine.unlock();

        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void anAnnouncementIsHeardOnEachNode() {
        DistributedLockFactory factory = factory("wire", "plain", "wire-announce", "registry-channel:{key}");
        List<String> names = List.of(client + "-one", client + "-two", client + "-three", client + "-four");
        List<Overhearing> ears =
                cluster.primaries().stream().map(Overhearing::new).toList();
        try {
            for (String name : names) {
                DistributedLock lock = factory.getLock(name, Fixture.lease(MINUTE));
                lock.lock();
                lock.unlock();
            }
            for (Overhearing ear : ears) {
                List<Overhearing.Message> heard = new ArrayList<>();
                await().atMost(PATIENCE).until(() -> heard.addAll(ear.heard()) && heard.size() >= names.size());
                assertThat(heard).extracting(Overhearing.Message::text).containsExactlyInAnyOrderElementsOf(names);
            }
        } finally {
            ears.forEach(Overhearing::close);
        }
    }

    @Test
    @Tag("deep")
    void aWaiterIsHandedTheLockAfterItsSlotHasMoved() throws Exception {
        String name = client + "-moved";
        DistributedLock mine = factory().getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory().getLock(name, Fixture.lease(MINUTE));
        mine.lock();
        Lease lease = mine.lease().orElseThrow();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        awaitQueued(name);
        RedisServer target = stranger(name);
        cluster.migrateSlot(cluster.slotOf(Fixture.key(name)), target);
        assertThat(target.command("GET", Fixture.key(name)))
                .as("which went along")
                .isNotNull();
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(target.command("PUBSUB", "SHARDCHANNELS", Fixture.key(name) + "*"))
                        .contains(":client:"));
        Fixture.renewByHand(lease);
        mine.unlock();

        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    @Tag("deep")
    void aSlotWhoseKeysAreTornApartLosesNoLockAndNoWaiter() throws Exception {
        String name = client + "-torn";
        DistributedLock mine = factory().getLock(name, Fixture.lease(MINUTE));
        DistributedLock theirs = factory().getLock(name, Fixture.lease(MINUTE));
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        awaitQueued(name);
        RedisServer target = stranger(name);
        SlotMigration migration = cluster.beginMigration(cluster.slotOf(Fixture.key(name)), target);
        migration.moveKeys(List.of(Fixture.key(name)));

        Fixture.renewByHand(mine.lease().orElseThrow());
        assertThatThrownBy(factory().getLock(name, Fixture.lease(MINUTE))::tryLock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                .hasMessageContaining("TRYAGAIN");
        mine.unlock();
        assertThat(waiter.isDone()).as("which nobody can give it now").isFalse();
        migration.finish();
        cluster.awaitSettled();

        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> target.command("GET", Fixture.key(name)) == null);
    }
}
