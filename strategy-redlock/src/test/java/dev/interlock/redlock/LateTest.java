// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockHandle;
import dev.interlock.redlock.AttemptReport.Outcome;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.testservers.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Answers that are late or lost leave nothing behind; leases last a minute here, so that they cannot end by themselves.
 */
class LateTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Fixture redis = new Fixture(5);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void anAcquisitionThatIsTooSlowForTheLeaseFailsAndLeavesNothing() {
        DistributedLockFactory factory = redis.reporting(
                config -> Fixture.trusting(config).option("min-validity", "59s").lockDefaults(Fixture.unrenewed(LEASE)),
                reports);
        redis.warmUp(factory);
        DistributedLock lock = factory.getLock("slow", Fixture.unrenewed(LEASE));
        for (FaultProxy proxy : redis.proxies) {
            proxy.delayReplies(Duration.ofMillis(600));
        }
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);
        redis.proxies.forEach(FaultProxy::heal);
        assertThat(failure.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
        assertThat(reports.get(reports.size() - 1).outcome()).isEqualTo(Outcome.FAILED);
        redis.awaitTakenOn("slow");
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(lock::tryLock);
    }

    @Test
    void requestsThatAreCarriedOutLateLeaveNoGhost() {
        DistributedLockFactory factory =
                redis.factory(config -> Fixture.trusting(config).commandTimeout(Duration.ofSeconds(1)));
        redis.warmUp(factory);
        redis.servers.forEach(server -> server.pause());
        DistributedLock lock = factory.getLock("late", Fixture.unrenewed(LEASE));
        assertThat(catchThrowableOfType(LockBackendException.class, lock::tryLock)
                        .reason())
                .isEqualTo(Reason.OUTCOME_UNKNOWN);
        redis.servers.forEach(server -> server.resume());
        redis.servers.forEach(server -> server.command("PING"));
        redis.awaitTakenOn("late");
        redis.warmUp(factory);
        assertThat(redis.takenOn("late")).isEmpty();
    }

    @Test
    void lostRepliesLeaveNoGhost() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        redis.proxies.forEach(FaultProxy::loseNextReply);
        DistributedLock lock = factory.getLock("lost", Fixture.unrenewed(LEASE));
        // The second request of this call may find the key of the first, or find that it was released.
        try {
            if (lock.tryLock()) {
                lock.unlock();
            }
        } catch (LockBackendException e) {
            assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
        }
        redis.awaitTakenOn("lost");
    }

    @Test
    void aReplyThatAMinorityLosesIsMadeUpForByTheOthers() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        redis.proxies.get(0).loseNextReply();
        redis.proxies.get(1).loseNextReply();
        DistributedLock lock = factory.getLock("minority", Fixture.unrenewed(LEASE));
        lock.lock();
        lock.unlock();
        redis.awaitTakenOn("minority");
    }

    @Test
    void aServerThatWasAwayIsToldOfTheReleaseWhenItIsBack() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        LockHandle lease = redis.acquireEverywhere(factory.getLock("away", Fixture.unrenewed(LEASE)));
        redis.proxies.get(4).refuse();
        lease.close();
        redis.awaitTakenOn("away", 4);
        redis.proxies.get(4).accept();
        redis.awaitTakenOn("away");
    }

    @Test
    void aReleaseWaitsForTheLeadSinceThatRefusesTheNextAgainstAMajority() throws Exception {
        DistributedLockFactory factory =
                redis.factory(config -> Fixture.trusting(config).option("node-timeout", "10s"));
        redis.warmUp(factory);
        int lead = lead("in-order");
        LockHandle lease = redis.acquireEverywhere(factory.getLock("in-order", Fixture.unrenewed(LEASE)));
        redis.servers.get(lead).pause();
        FutureTask<?> release = Fixture.start(() -> {
            lease.close();
            return null;
        });
        await().atMost(Fixture.PATIENCE)
                .until(() -> IntStream.range(0, 5)
                        .filter(node -> node != lead)
                        .allMatch(node -> redis.servers.get(node).command("GET", Fixture.key("in-order")) == null));
        await().during(Duration.ofMillis(200)).atMost(Fixture.PATIENCE).until(() -> !release.isDone());
        redis.servers.get(lead).resume();
        release.get();
        assertThat(redis.takenOn("in-order")).isEmpty();
    }

    private static int lead(String name) {
        return Quorum.first(
                name, Configuration.founding(List.of("a", "b", "c", "d", "e")).majorities(), node -> true);
    }

    @Test
    void aVoteThatTheLeadCarriesOutAfterAllDataWasLostMayKeepOthersOutUntilItsHolderIsTold() throws Exception {
        DistributedLockFactory factory = redis.factory();
        DistributedLockFactory another = redis.factory();
        redis.warmUp(factory);
        redis.warmUp(another);
        int lead = lead("flushed");
        CompletableFuture<Void> vote =
                redis.proxies.get(lead).trap(Fixture.key("flushed"), FaultProxy.Trap.HOLD_REQUEST);
        LockHandle lease = factory.getLock("flushed", Fixture.unrenewed(LEASE)).acquire();
        vote.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        redis.servers.forEach(server -> server.command("FLUSHALL"));
        redis.proxies.get(lead).heal();
        redis.awaitTakenOn("flushed", lead);
        DistributedLock lock = another.getLock("flushed", Fixture.unrenewed(LEASE));
        // The lead outvotes the others if its answer comes before a majority has granted the lock.
        await().atMost(Fixture.PATIENCE).until(() -> {
            boolean granted = lock.tryLock();
            if (granted) {
                lock.unlock();
            }
            return !granted;
        });
        // As long as it knows that it is valid for that long, it asks nobody.
        await().atMost(Fixture.PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> lease.ensureValid(LEASE.minusSeconds(1)))
                        .isInstanceOf(LeaseLostException.class));
        redis.awaitTakenOn("flushed");
        assertThat(lock.tryLock()).isTrue();
    }

    /** The lead always answers, but too late; it owes no answer for so long that another node is the lead. */
    @Test
    void aLeadThatIsTooLateForOneReleaseIsNotWaitedForByTheNext() {
        Duration nodeTimeout = Duration.ofSeconds(1);
        int pairs = 30;
        DistributedLockFactory factory =
                redis.factory(config -> Fixture.trusting(config).option("node-timeout", nodeTimeout.toString()));
        redis.warmUp(factory);
        int lead = lead("late");
        DistributedLock lock = factory.getLock("late");
        redis.proxies.get(lead).delayReplies(Duration.ofMillis(1_500));

        long begin = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            lock.lock();
            lock.unlock();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("less than if each release had waited")
                .isLessThan(nodeTimeout.multipliedBy(pairs));
        redis.proxies.get(lead).heal();
        redis.awaitTakenOn("late");
    }
}
