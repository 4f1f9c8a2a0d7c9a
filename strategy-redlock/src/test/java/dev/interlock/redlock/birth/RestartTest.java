// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.redlock.AttemptReport;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.NodeReport.Vote;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that was killed and came back empty. Leases are short here, so that servers stand aside only briefly. */
@Execution(ExecutionMode.CONCURRENT) // Each test waits for servers that stand aside, most of the time.
class RestartTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(12);

    private final Fixture redis = new Fixture(3);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    private static LockConfig.Builder guarded(LockConfig.Builder config) {
        return Fixture.trusting(config)
                .option("cold-start", "wait")
                .option("max-lease", MAX_LEASE.toString())
                .lockDefaults(Fixture.unrenewed(MAX_LEASE));
    }

    private static LockConfig.Builder unguarded(LockConfig.Builder config) {
        // Nothing here waits for the end of a lease.
        return guarded(config).option("cold-start", "trust").lockDefaults(Fixture.unrenewed(Duration.ofMinutes(2)));
    }

    /** Makes the first client hold the lock on the first two servers, and lets the second of these forget it. */
    private Lease holdAndForget(DistributedLockFactory first, DistributedLockFactory second) throws Exception {
        votesOf(first, "all-vote");
        votesOf(second, "all-vote");
        redis.holdElsewhere("work", 2);
        DistributedLock lock = first.getLock("work");
        LockHandle lease = lock.acquire();
        // A majority does not wait for the third server. A later request to that server shows that it refused, and set
        // no key.
        votesOf(first, "behind");
        redis.servers.get(2).command("DEL", Fixture.key("work"));
        redis.servers.get(1).restart();
        return lease;
    }

    /** Waits until all servers vote for a client on a lock. */
    private void votesOf(DistributedLockFactory client, String name) {
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    DistributedLock lock = client.getLock(name);
                    lock.lock();
                    boolean all = redis.takenOn(name).size() == redis.servers.size();
                    lock.unlock();
                    return all;
                });
    }

    @Test
    void withoutTheGuardTwoHoldTheLock() throws Exception {
        DistributedLockFactory second = redis.factory(RestartTest::unguarded);
        Lease lease = holdAndForget(redis.factory(RestartTest::unguarded), second);

        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> second.getLock("work").tryLock());

        assertThat(lease.isValid()).as("the first one holds it too").isTrue();
    }

    @Test
    @Tag("deep")
    void withTheGuardTheServerDoesNotVoteWhileALeaseMayBeLeft() throws Exception {
        DistributedLockFactory second = redis.reporting(RestartTest::guarded, reports);
        Lease lease = holdAndForget(redis.factory(RestartTest::guarded), second);
        DistributedLock lock = second.getLock("work");
        reports.clear();

        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    boolean held = lock.tryLock();
                    assertThat(held && lease.isValid()).as("two hold the lock").isFalse();
                    return held;
                });

        assertThat(reports)
                .as("attempts before the server had connected again, and while it stood aside")
                .anyMatch(report -> report.nodes().get(1).vote() == Vote.STANDS_ASIDE);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aFreshClusterCannotBeLockedUntilNoLeaseCanBeLeft() {
        DistributedLockFactory factory = redis.factory(RestartTest::guarded);
        DistributedLock lock = factory.getLock("fresh");

        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);

        assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(failure).hasMessageContaining("stands aside");
        List<String> reasons = new CopyOnWriteArrayList<>();
        await().atMost(Fixture.PATIENCE).until(() -> {
            try {
                return lock.tryLock();
            } catch (LockBackendException e) {
                reasons.add(String.valueOf(e.getMessage()));
                return false;
            }
        });
        assertThat(reasons).anyMatch(reason -> reason.contains("too short a time ago to vote"));
        // Redis counts whole seconds, and started before the test looked.
        assertThat((Long) uptime(0)).isGreaterThanOrEqualTo(MAX_LEASE.toSeconds());
    }

    private Object uptime(int server) {
        String info = String.valueOf(redis.servers.get(server).command("INFO", "server"));
        return info.lines()
                .filter(line -> line.startsWith("uptime_in_seconds:"))
                .map(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("deep")
    void aHolderKeepsItsLockWhileAMinorityStandsAside() throws Exception {
        DistributedLockFactory factory = redis.factory(RestartTest::guarded);
        votesOf(factory, "all-vote");
        LockHandle lease = redis.acquireEverywhere(factory.getLock("kept"));
        redis.servers.get(1).restart();
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().compareTo(Duration.ofSeconds(10)) < 0);
        lease.ensureValid(Duration.ofSeconds(10));
        assertThat(redis.takenOn("kept"))
                .as("no renewal makes a key anew where a server may not vote yet")
                .containsExactly(0, 2);
        lease.close();
        redis.awaitTakenOn("kept");
    }

    @Test
    void aServerThatOnlyLostItsConnectionsGoesOnVoting() {
        DistributedLockFactory factory = redis.reporting(RestartTest::guarded, reports);
        votesOf(factory, "all-vote");
        reports.clear();
        redis.proxies.get(0).cutConnections();
        votesOf(factory, "all-vote");
        assertThat(reports)
                .noneMatch(report -> report.nodes().stream().anyMatch(node -> node.vote() == Vote.STANDS_ASIDE));
    }

    @Test
    void aLeaseThatIsLongerThanServersStandAsideIsRefused() {
        DistributedLockFactory factory = redis.factory(RestartTest::guarded);
        DistributedLock lock = factory.getLock("long", Fixture.unrenewed(MAX_LEASE.plusMillis(1)));

        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("longer than the option max-lease, " + MAX_LEASE);
    }
}
