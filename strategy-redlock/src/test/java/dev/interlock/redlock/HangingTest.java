// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockHandle;
import dev.interlock.redlock.AttemptReport.Outcome;
import dev.interlock.redlock.NodeReport.Vote;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that stand still. */
class HangingTest {
    private final Fixture redis = new Fixture(5);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aMinorityThatHangsIsNeverWaitedFor() {
        Duration nodeTimeout = Duration.ofSeconds(20);
        DistributedLockFactory factory = redis.reporting(
                config -> Fixture.trusting(config).option("node-timeout", nodeTimeout.toString()), reports);
        redis.warmUp(factory);
        redis.servers.get(1).pause();
        redis.servers.get(3).pause();
        reports.clear();
        DistributedLock lock = factory.getLock("busy");
        for (int i = 0; i < 200; i++) {
            lock.lock();
            lock.unlock();
        }
        assertThat(reports).hasSize(200).allSatisfy(report -> {
            assertThat(report.outcome()).isEqualTo(Outcome.GRANTED);
            assertThat(report.elapsed()).isLessThan(nodeTimeout);
            assertThat(report.nodes().get(1).vote()).isIn(Vote.NOT_AWAITED, Vote.TIMED_OUT, Vote.FAILED);
        });
        redis.servers.get(1).resume();
        redis.servers.get(3).resume();
        redis.awaitTakenOn("busy");
    }

    @Test
    void aServerThatGoesOnVotesAgain() {
        DistributedLockFactory factory = redis.reporting(Fixture::trusting, reports);
        redis.warmUp(factory);
        redis.servers.get(2).pause();
        DistributedLock lock = factory.getLock("again");
        lock.lock();
        lock.unlock();
        redis.servers.get(2).resume();
        redis.warmUp(factory);
        assertThat(reports.get(reports.size() - 1).nodes().get(2).vote()).isIn(Vote.GRANTED, Vote.NOT_AWAITED);
    }

    @Test
    void aReleaseIsCarriedOutBeforeTheNextRequestThoughTheServerDoesNotKnowItsScript() throws Exception {
        String name = "ordered";
        int lead = Quorum.first(
                name, Configuration.founding(List.of("a", "b", "c", "d", "e")).majorities(), node -> true);
        RedisServer late = redis.servers.get((lead + 1) % 5);
        late.command("SCRIPT", "FLUSH");
        late.command("SCRIPT", "LOAD", LeadScripts.TAKE.source());
        DistributedLock lock = redis.factory(redis::unshed).getLock(name);
        late.pause();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();

        // From here on the late one is needed for a majority.
        RedisServer oneMore = redis.servers.get((lead + 2) % 5);
        RedisServer another = redis.servers.get((lead + 3) % 5);
        oneMore.pause();
        another.pause();
        FutureTask<Boolean> next = Fixture.start(() -> {
            boolean granted = lock.tryLock();
            if (granted) {
                lock.unlock();
            }
            return granted;
        });
        await().atMost(Fixture.PATIENCE).until(() -> redis.servers.get(lead).command("GET", Fixture.key(name)) != null);
        late.resume();
        assertThat(next.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the lock is free")
                .isTrue();
        oneMore.resume();
        another.resume();
        redis.awaitTakenOn(name);
    }

    @Test
    @Tag("deep")
    void aMajorityThatHangsEndsTheAttemptAsUnknownAndLeavesNothing() throws Exception {
        DistributedLockFactory factory =
                redis.reporting(config -> Fixture.trusting(config).commandTimeout(Duration.ofSeconds(5)), reports);
        redis.warmUp(factory);
        for (int i : new int[] {0, 2, 4}) {
            redis.servers.get(i).pause();
        }
        DistributedLock lock = factory.getLock("stuck");
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);
        assertThat(failure.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
        assertThat(failure)
                .hasMessageContaining("no majority of the servers answered")
                .hasMessageContaining(redis.proxies.get(0).uri() + " timed out")
                .hasMessageContaining(redis.proxies.get(1).uri() + " granted");
        // The servers that answer have released the lock before the attempt ends.
        assertThat(redis.servers.get(1).command("GET", Fixture.key("stuck"))).isNull();
        assertThat(redis.servers.get(3).command("GET", Fixture.key("stuck"))).isNull();
        assertThat(catchThrowableOfType(LockBackendException.class, () -> lock.tryLock(100, TimeUnit.MILLISECONDS)))
                .isNotNull();
        for (int i : new int[] {0, 2, 4}) {
            redis.servers.get(i).resume();
        }
        redis.awaitTakenOn("stuck");
        redis.warmUp(factory);
        Optional<LockHandle> lease = lock.tryAcquire(Fixture.PATIENCE);
        assertThat(lease).isPresent();
        lease.get().close();
    }

    @Test
    @Tag("deep")
    void aLockThatIsHeldOutlivesAMinorityThatHangs() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        // Waiting for the servers that hang, for the time-out of one server, would leave less than is asserted below.
        DistributedLock lock = factory.getLock("kept", Fixture.unrenewed(Duration.ofSeconds(20)));
        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        redis.servers.get(0).pause();
        redis.servers.get(4).pause();
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().compareTo(Duration.ofSeconds(16)) < 0);
        lease.ensureValid(Duration.ofSeconds(16));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(10));
        lock.unlock();
    }
}
