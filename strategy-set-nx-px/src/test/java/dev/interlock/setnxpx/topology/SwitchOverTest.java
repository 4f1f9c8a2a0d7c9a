// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks whose primary changes while they are held and waited for. */
@Tag("deep")
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce", "interlock"})
class SwitchOverTest {
    private static final int LOCKS = 50;
    private static final Duration LEASE = Duration.ofSeconds(60);

    @Parameter
    String client;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T closeLater(T resource) {
        open.push(resource);
        return resource;
    }

    private DistributedLockFactory factory(String uri) {
        return closeLater(DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(uri)
                        .commandTimeout(Fixture.PATIENCE)
                        .option("client", client)
                        .build()));
    }

    private interface SwitchOver {
        RedisServer run();
    }

    /**
     * Many locks, each with a holder and two waiters of other clients, are handed over twice after the primary has
     * changed.
     */
    private void handOver(String uri, RedisServer former, SwitchOver switchOver) throws Exception {
        DistributedLockFactory holders = factory(uri);
        List<DistributedLockFactory> waiting = List.of(factory(uri), factory(uri));
        List<Handover> handovers = new ArrayList<>();
        List<FutureTask<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            Handover handover = new Handover(holders.getLock("lock-" + i, Fixture.lease(LEASE)));
            handover.begin();
            handovers.add(handover);
            for (DistributedLockFactory factory : waiting) {
                DistributedLock theirs = factory.getLock("lock-" + i, Fixture.lease(LEASE));
                waiters.add(Fixture.start(() -> handover.join(theirs)));
            }
        }
        for (int i = 0; i < LOCKS; i++) {
            String list = Fixture.key("lock-" + i) + ":waiting";
            await().atMost(Fixture.PATIENCE)
                    .until(() -> former.command("ZCARD", list).equals(2L));
        }

        RedisServer promoted = switchOver.run();

        for (Handover handover : handovers) {
            handover.end();
        }
        for (FutureTask<Boolean> waiter : waiters) {
            assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("was alone with the lock")
                    .isTrue();
        }
        await().atMost(Fixture.PATIENCE)
                .until(() -> promoted.command("EXISTS", Fixture.key("lock-0")).equals(0L));
    }

    /** A lock that goes from its holder to two who wait for it. */
    private static final class Handover {
        private final DistributedLock lock;
        private final AtomicReference<Lease> inside = new AtomicReference<>();

        Handover(DistributedLock lock) {
            this.lock = lock;
        }

        void begin() {
            lock.lock();
            inside.set(lock.lease().orElseThrow());
        }

        void end() {
            assertThat(inside.getAndSet(null).isValid())
                    .as("the holder has not lost its lock")
                    .isTrue();
            lock.unlock();
        }

        /** Returns whether nobody else had a valid lease at the same time. */
        boolean join(DistributedLock theirs) {
            theirs.lock();
            Optional<Lease> mine = theirs.lease();
            Lease other = inside.getAndSet(mine.orElse(null));
            boolean alone = other == null
                    || !other.isValid()
                    || mine.isEmpty()
                    || !mine.get().isValid();
            // Long enough for another one to be let in by mistake.
            await().pollDelay(Duration.ofMillis(100)).until(() -> true);
            inside.compareAndSet(mine.orElse(null), null);
            try {
                theirs.unlock();
            } catch (LeaseLostException e) {
                // What is handed over is good for two seconds, in which a busy machine may not come to renew it.
            }
            return alone;
        }
    }

    @Test
    void nobodySharesALockAfterAnAdministratorSwitchedOver() throws Exception {
        RedisServer primary = closeLater(RedisServer.start("--repl-diskless-sync-delay", "0"));
        RedisServer replica = closeLater(RedisServer.start("--repl-diskless-sync-delay", "0"));
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(primary.port()));
        await().atMost(Fixture.PATIENCE).until(() -> info(primary).contains("state=online"));

        handOver(primary.uri() + "," + replica.uri(), primary, () -> {
            primary.command("FAILOVER");
            await().atMost(Fixture.PATIENCE)
                    .until(() -> info(replica).contains("role:master")
                            && info(primary).contains("master_link_status:up"));
            return replica;
        });
    }

    private static String info(RedisServer server) {
        return String.valueOf(server.command("INFO", "replication"));
    }

    @Test
    void whoLostItsLockInASwitchOverIsToldLongBeforeItsNextRenewal() throws Exception {
        SentinelServers servers = closeLater(SentinelServers.start());
        DistributedLockFactory factory = factory(servers.uri());
        Duration longLease = Fixture.PATIENCE.multipliedBy(100);
        DistributedLock lost = factory.getLock("lost", Fixture.lease(longLease));
        DistributedLock kept = factory.getLock("kept", Fixture.lease(longLease));
        lost.lock();
        kept.lock();
        AtomicReference<LossCause> told = new AtomicReference<>();
        lost.lease().orElseThrow().onLoss(told::set);
        RedisServer primary = servers.primary();
        primary.command("SET", "last", "");
        primary.command("WAIT", "2", "0");
        // As if it had been taken too late to be replicated.
        for (RedisServer replica : servers.replicas()) {
            replica.command("CONFIG", "SET", "replica-read-only", "no");
            replica.command("DEL", Fixture.key("lost"));
        }

        servers.switchOver();

        await().atMost(Fixture.PATIENCE).untilAtomic(told, equalTo(LossCause.GONE));
        assertThat(kept.isHeldByCurrentThread()).isTrue();
        kept.unlock();
    }

    @Test
    void nobodySharesALockAfterTheSentinelsSwitchedOver() throws Exception {
        SentinelServers servers = closeLater(SentinelServers.start());

        handOver(servers.uri(), servers.primary(), servers::switchOver);
    }

    @Test
    void aReplicaServesOnWhenThePrimaryIsKilled() throws Exception {
        SentinelServers servers = closeLater(SentinelServers.start());

        handOver(servers.uri(), servers.primary(), () -> servers.awaitPrimaryOtherThan(servers.killPrimary()));
    }

    @Test
    void locksGoOnWithoutAnySentinel() throws Exception {
        SentinelServers servers = closeLater(SentinelServers.start());

        handOver(servers.uri(), servers.primary(), () -> {
            RedisServer primary = servers.primary();
            servers.sentinels().forEach(RedisServer::kill);
            primary.command("CLIENT", "KILL", "TYPE", "normal");
            primary.command("CLIENT", "KILL", "TYPE", "pubsub");
            return primary;
        });
    }
}
