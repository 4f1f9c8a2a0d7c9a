// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.Majorities;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server at which clients queue for a lock is replaced by another one while they hand the lock on. */
class LeadMoveTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(3);
    private static final int CLIENTS = 8;
    private static final Configuration OLD_LIST = Configuration.founding(List.of("a", "b", "c"));
    private static final Configuration JOINT = OLD_LIST.change(Optional.of(2), Optional.of("d"));

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Held> last = new AtomicReference<>();
    private final AtomicInteger holds = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Fixture> used = new ArrayList<>();

    /** The last holder of the lock, as the holders record it. */
    private record Held(Lease lease, long token) {}

    @AfterEach
    void stop() {
        used.forEach(Fixture::close);
    }

    private static int first(String name, Majorities majorities) {
        return Quorum.first(name, majorities, node -> true);
    }

    private static List<String> names() {
        return IntStream.range(0, 300).mapToObj(i -> "name-" + i).toList();
    }

    @Test
    void onlyNamesWhoseLeadLeavesGetAnotherOneOrThoseThatGoToTheNodeThatJoins() {
        Majorities before = OLD_LIST.majorities();
        Majorities after = JOINT.end().majorities();

        assertThat(names())
                .filteredOn(name -> first(name, before) != 2)
                .allSatisfy(name -> assertThat(first(name, after)).isIn(first(name, before), 3));
    }

    @Test
    void allNodesLeadAboutAsManyNames() {
        for (int i = 0; i < 3; i++) {
            int node = i;
            assertThat(names())
                    .filteredOn(name -> first(name, OLD_LIST.majorities()) == node)
                    .hasSizeBetween(60, 140);
        }
    }

    @Test
    void aNodeThatLeavesIsNoLeadWhileTheListChanges() {
        assertThat(names())
                .extracting(name -> first(name, JOINT.majorities()))
                .contains(0, 1, 3)
                .doesNotContain(2);
        assertThat(JOINT.majorities().remains(2)).isFalse();
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLeadIsReplacedWhileClientsHandTheLockOnAndNoTwoHoldIt(boolean gone) throws Exception {
        String name = names().stream()
                .filter(it -> first(it, OLD_LIST.majorities()) == 2)
                .findFirst()
                .orElseThrow();
        Fixture redis = new Fixture(4);
        used.add(redis);
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            DistributedLockFactory client = redis.factory(config -> configure(redis, config));
            threads.add(Fixture.start(() -> lockAgainAndAgain(client.getLock(name))));
        }
        awaitHolds(50);
        if (gone) {
            redis.proxies.get(2).refuse();
            redis.proxies.get(2).cutConnections();
            awaitHolds(50);
        }

        LockConfig config = configure(redis, LockConfig.builder()).build();
        try (RedlockOperations operations = RedlockOperations.connect(config)) {
            operations.replace(
                    address(redis, 2), address(redis, 3), gone ? Set.of(address(redis, 2)) : Set.of(), news -> {});
        }

        awaitHolds(50);
        int lead = first(name, JOINT.end().majorities());
        await("clients queue at the new lead")
                .atMost(Fixture.PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> (Long) redis.servers.get(lead).command("ZCARD", QueueFixture.queue(name)) > 1);
        await("and pass the lock on there")
                .atMost(Fixture.PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> String.valueOf(redis.servers.get(lead).command("GET", QueueFixture.record(name)))
                        .matches("\\S+ [1-9]\\d* .*"));
        over.set(true);
        for (FutureTask<Object> thread : threads) {
            thread.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(violations).isEmpty();
    }

    private static String address(Fixture redis, int server) {
        return redis.proxies.get(server).uri().replace("redis://", "");
    }

    private static LockConfig.Builder configure(Fixture redis, LockConfig.Builder config) {
        return Fixture.trusting(config)
                .endpoints(IntStream.range(0, 3)
                        .mapToObj(server -> redis.proxies.get(server).uri())
                        .reduce((a, b) -> a + "," + b)
                        .orElseThrow())
                .option("cold-start", "wait")
                .option("max-lease", MAX_LEASE.toString())
                .lockDefaults(LockOptions.builder().lease(MAX_LEASE).build());
    }

    private void awaitHolds(int more) {
        int before = holds.get();
        await("clients take turns").atMost(Fixture.PATIENCE).until(() -> holds.get() > before + more);
    }

    private Object lockAgainAndAgain(DistributedLock lock) throws InterruptedException {
        while (!over.get()) {
            try (LockHandle handle = lock.acquire()) {
                Held mine = new Held(handle, handle.fencingToken().orElseThrow());
                Held before = last.getAndSet(mine);
                // The order matters: a lease that is valid now was valid before.
                if (before != null && handle.isValid() && before.lease().isValid() && handle.isValid()) {
                    violations.add("two held the lock, with " + before.token() + " and " + mine.token());
                }
                if (before != null && before.token() >= mine.token() && handle.isValid()) {
                    violations.add("token " + mine.token() + " came after " + before.token());
                }
                holds.incrementAndGet();
            } catch (LockBackendException e) {
                // The cluster is new and does not vote yet, or the lead has left.
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        return null;
    }
}
