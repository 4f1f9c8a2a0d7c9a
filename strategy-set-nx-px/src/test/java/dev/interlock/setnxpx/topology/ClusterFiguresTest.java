// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static dev.interlock.setnxpx.Fixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Many locks that are held on all nodes of a cluster, one of which fails. */
class ClusterFiguresTest {
    /** Renewed each fifteen seconds, and far longer than a failover takes. */
    private static final Duration LEASE = Duration.ofSeconds(45);

    private static final int MANY = 10_000;
    private static final int SOME = 300;

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
    }

    /** Takes locks, and returns their leases by their names. */
    private Map<String, Lease> hold(ClusterServers cluster, int count, Duration lease) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(cluster.uri())
                        .commandTimeout(PATIENCE)
                        .option("client", "lettuce")
                        .build());
        factories.add(factory);
        Map<String, Lease> leases = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            DistributedLock lock = factory.getLock("held" + i, Fixture.lease(lease));
            lock.lock();
            leases.put(lock.name(), lock.lease().orElseThrow());
        }
        return leases;
    }

    /** The names of the locks whose keys a server has. */
    private static Set<String> namesAt(RedisServer server) {
        Set<String> names = new TreeSet<>();
        for (Object key : (List<?>) server.command("KEYS", Fixture.key("*"))) {
            names.add(String.valueOf(key).replaceAll(".*\\{|}", ""));
        }
        return names;
    }

    private static long renewals(RedisServer server) {
        return server.commandStats().getOrDefault("pexpire", 0L);
    }

    @Test
    @Tag("deep")
    void aFailoverTakesNoLockWhoseKeySurvivedAndTheHoldersOfAllOthersAreTold() {
        try (ClusterServers cluster = ClusterServers.start(3, 1)) {
            Map<String, Lease> leases = hold(cluster, MANY, LEASE);
            Set<String> told = ConcurrentHashMap.newKeySet();
            leases.forEach((name, lease) -> lease.onLoss(cause -> told.add(name)));
            RedisServer former = cluster.primaries().get(0);
            RedisServer replica = cluster.replicasOf(former).get(0);
            await().atMost(PATIENCE).until(() -> former.command("DBSIZE").equals(replica.command("DBSIZE")));

            cluster.kill(former);
            RedisServer promoted = cluster.awaitFailover(former);

            List<String> hit = List.copyOf(namesAt(promoted));
            assertThat(hit).hasSizeGreaterThan(MANY / 4);
            // As if these had been taken too late to be replicated.
            Set<String> gone = new TreeSet<>(hit.subList(0, hit.size() / 10));
            gone.forEach(name -> promoted.command("DEL", Fixture.key(name)));
            promoted.command("CONFIG", "RESETSTAT");
            await().atMost(PATIENCE).until(() -> told.size() >= gone.size());
            // Each of them comes to be renewed there once before any is renewed twice.
            await().atMost(PATIENCE).until(() -> renewals(promoted) >= hit.size() - gone.size());

            assertThat(new TreeSet<>(told)).isEqualTo(gone);
            assertThat(leases)
                    .allSatisfy((name, lease) ->
                            assertThat(lease.isValid()).as(name).isEqualTo(!gone.contains(name)));
            // Closes the factories while the servers run, so that the locks are released.
            close();
        }
    }

    @Test
    @Tag("nightly")
    void aNodeThatStandsStillDelaysNoRenewalAtOthers(TestReporter reporter) {
        Duration lease = Duration.ofSeconds(30);
        Duration twoRenewals = lease.dividedBy(3).multipliedBy(2);
        try (ClusterServers cluster = ClusterServers.start()) {
            Map<String, Lease> leases = hold(cluster, SOME, lease);
            RedisServer stalled = cluster.primaries().get(0);
            Set<String> there = namesAt(stalled);
            List<Lease> others = leases.entrySet().stream()
                    .filter(entry -> !there.contains(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .toList();
            assertThat(others).hasSizeGreaterThan(SOME / 2);

            Duration before = leastRemaining(others, twoRenewals);
            stalled.pause();
            Duration meanwhile;
            try {
                meanwhile = leastRemaining(others, twoRenewals);
            } finally {
                stalled.resume();
            }

            reporter.publishEntry(
                    "renewals beside a node that stands still",
                    "least remaining lease of " + others.size() + " locks: " + before.toMillis() + " ms before, "
                            + meanwhile.toMillis() + " ms meanwhile, of " + lease.toMillis() + " ms");
            // A renewal that waited for the time-out of one to that node would leave less.
            assertThat(meanwhile).isGreaterThan(lease.dividedBy(3));
            close();
        }
    }

    /** Looks at leases for a while, and returns how little was left of one of them. */
    private static Duration leastRemaining(List<Lease> leases, Duration time) {
        Duration least = LEASE;
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            for (Lease lease : leases) {
                Duration remaining = lease.remaining();
                least = remaining.compareTo(least) < 0 ? remaining : least;
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        return least;
    }
}
