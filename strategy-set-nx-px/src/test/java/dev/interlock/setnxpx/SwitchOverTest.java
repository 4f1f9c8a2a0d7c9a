// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks whose primary changes while they are held and waited for. */
@Tag("deep")
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce"})
class SwitchOverTest {
    private static final int LOCKS = 20;
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

    /** Twenty locks, each with a holder and two waiters of other clients, are handed over after the primary has changed. */
    private void handOver(String uri, RedisServer former, SwitchOver switchOver) throws Exception {
        DistributedLockFactory holders = factory(uri);
        List<DistributedLockFactory> waiting = List.of(factory(uri), factory(uri));
        List<DistributedLock> held = new ArrayList<>();
        List<FutureTask<Long>> waiters = new ArrayList<>();
        List<AtomicInteger> inside = new ArrayList<>();
        AtomicInteger doubles = new AtomicInteger();
        for (int i = 0; i < LOCKS; i++) {
            String name = "lock-" + i;
            DistributedLock lock = holders.getLock(name, Fixture.lease(LEASE));
            lock.lock();
            held.add(lock);
            AtomicInteger count = new AtomicInteger(1);
            inside.add(count);
            for (DistributedLockFactory factory : waiting) {
                DistributedLock theirs = factory.getLock(name, Fixture.lease(LEASE));
                waiters.add(Fixture.start(() -> {
                    theirs.lock();
                    long token = theirs.lease().orElseThrow().fencingToken().orElseThrow();
                    if (count.incrementAndGet() > 1) {
                        doubles.incrementAndGet();
                    }
                    // Long enough for another one to be let in by mistake.
                    await().pollDelay(Duration.ofMillis(100)).until(() -> true);
                    count.decrementAndGet();
                    theirs.unlock();
                    return token;
                }));
            }
        }
        for (int i = 0; i < LOCKS; i++) {
            String list = Fixture.key("lock-" + i) + ":waiting";
            await().atMost(Fixture.PATIENCE)
                    .until(() -> former.command("ZCARD", list).equals(2L));
        }

        RedisServer promoted = switchOver.run();

        for (int i = 0; i < LOCKS; i++) {
            Lease lease = held.get(i).lease().orElseThrow();
            assertThat(lease.isValid()).as("no holder loses its lock").isTrue();
            inside.get(i).decrementAndGet();
            held.get(i).unlock();
        }
        for (FutureTask<Long> waiter : waiters) {
            assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isPositive();
        }
        assertThat(doubles).as("locks with two valid holders").hasValue(0);
        assertThat(promoted.command("EXISTS", Fixture.key("lock-0"))).isEqualTo(0L);
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
