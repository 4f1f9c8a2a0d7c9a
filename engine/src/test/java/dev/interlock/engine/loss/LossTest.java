// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** How a holder learns that it lost the lock. */
class LossTest extends EngineTest {
    private final Jvm one = jvm();
    private final DistributedLock lock = one.lock();
    private final List<LossCause> causes = new ArrayList<>();

    private Lease lockedBy(Person person) {
        person.does(lock::lock).value();
        Lease lease = person.asks(lock::lease).value().orElseThrow();
        lease.onLoss(causes::add);
        return lease;
    }

    private void assertLost(Throwable failure, LossCause cause) {
        assertThat(failure).isInstanceOfSatisfying(LeaseLostException.class, e -> {
            assertThat(e.lossCause()).isEqualTo(cause);
            assertThat(e.lockName()).isEqualTo(NAME);
        });
    }

    @Test
    void aTimerEndsTheLeaseThoughARenewalHangs() {
        Lease lease = lockedBy(ann);
        one.protocol().always(Verb.RENEW, RequestFault.slowRequest(seconds(500)));
        env.advance(LEASE.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        env.advance(java.time.Duration.ofNanos(1));
        assertThat(causes).containsExactly(LossCause.UNREACHABLE);
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(ann.asks(lock::getHoldCount).value()).isZero();
        assertThat(ann.asks(lock::lease).value()).isEmpty();
        assertLost(ann.does(lock::unlock).failure(), LossCause.UNREACHABLE);
        env.advance(seconds(500));
    }

    @Test
    void aRenewalFindsThatTheLockIsGone() {
        Lease lease = lockedBy(ann);
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(causes).containsExactly(LossCause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
    }

    @Test
    void aRenewalFindsThatTheLockIsTaken() {
        lockedBy(ann);
        server.steal(NAME, seconds(15));
        env.advance(seconds(10));
        assertThat(causes).containsExactly(LossCause.TAKEN);
        assertLost(ann.does(lock::unlock).failure(), LossCause.TAKEN);
        assertThat(server.isFree(NAME))
                .as("the lock of somebody else is left alone")
                .isFalse();
    }

    @Test
    void theLeaseEndsWhileTheBackendCannotBeReached() {
        lockedBy(ann);
        one.protocol().all(RequestFault.unreachable());
        env.advance(LEASE);
        assertThat(causes).containsExactly(LossCause.UNREACHABLE);
        assertLost(ann.does(lock::unlock).failure(), LossCause.UNREACHABLE);
    }

    @Test
    void anActionThatWasCancelledIsNotRun() {
        ann.does(lock::lock).value();
        Lease lease = ann.asks(lock::lease).value().orElseThrow();
        Lease.Registration first = lease.onLoss(causes::add);
        Lease.Registration same = lease.onLoss(causes::add);
        first.cancel();
        first.cancel();
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(causes)
                .as("one of two registrations of one action was cancelled")
                .containsExactly(LossCause.GONE);
        same.cancel();
        lease.onLoss(causes::add).cancel();
        env.advance(seconds(1));
        assertThat(causes).as("cancelled after the loss").containsExactly(LossCause.GONE, LossCause.GONE);
    }

    @Test
    void unlockTellsOncePerLostHoldAndThenThatNothingIsHeld() {
        lockedBy(ann);
        ann.does(lock::lock).value();
        ann.does(lock::lock).value();
        server.delete(NAME);
        env.advance(seconds(10));
        for (int i = 0; i < 3; i++) {
            assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
        }
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        assertThat(bob.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void whoeverLostTheLockIsToldByTheNextAcquisitionAndThenAcquiresItAfresh() {
        Lease lost = lockedBy(ann);
        server.delete(NAME);
        env.advance(seconds(10));
        int before = one.protocol().allCalls();
        assertLost(ann.does(lock::lock).failure(), LossCause.GONE);
        assertThat(one.protocol().allCalls()).as("nothing was asked").isEqualTo(before);
        assertThat(server.isFree(NAME)).isTrue();
        ann.does(lock::lock).value();
        Lease fresh = ann.asks(lock::lease).value().orElseThrow();
        assertThat(fresh.fencingToken().orElseThrow())
                .isGreaterThan(lost.fencingToken().orElseThrow());
        assertThat(ann.asks(lock::getHoldCount).value()).isOne();
        assertThat(lost.isValid()).isFalse();
        ann.does(lock::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aLossIsToldByWhateverIsCalledFirst() {
        List<Function<DistributedLock, Call<?>>> calls = List.of(
                l -> ann.does(l::lock),
                l -> ann.does(l::lockInterruptibly),
                l -> ann.asks(l::tryLock),
                l -> ann.asks(() -> l.tryLock(1, TimeUnit.SECONDS)),
                l -> ann.asks(l::acquire),
                l -> ann.asks(() -> l.tryAcquire(seconds(1))));
        for (Function<DistributedLock, Call<?>> call : calls) {
            lockedBy(ann);
            server.delete(NAME);
            env.advance(seconds(10));
            assertLost(call.apply(lock).failure(), LossCause.GONE);
            assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
            assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void whoeverAskedWhetherItHoldsTheLockIsToldByThatAndNotByALaterJob() {
        lockedBy(ann);
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        ann.does(lock::lock).value();
        ann.does(lock::unlock).value();
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void anInterruptOnEntryGoesBeforeTheLoss() {
        lockedBy(ann);
        server.delete(NAME);
        env.advance(seconds(10));
        Call<Void> call = ann.does(() -> {
            Thread.currentThread().interrupt();
            lock.lockInterruptibly();
        });
        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        assertLost(ann.does(lock::lockInterruptibly).failure(), LossCause.GONE);
    }

    @Test
    void theLossOfAHolderLetsTheNextTry() {
        lockedBy(ann);
        Call<Void> waiting = bob.does(lock::lock);
        server.delete(NAME);
        env.advance(seconds(10));
        waiting.value();
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
        bob.does(lock::unlock).value();
    }

    @Test
    void anActionRunsOnceAndALateOneAtOnceAndNoneAfterUnlock() {
        Lease lease = lockedBy(ann);
        server.delete(NAME);
        env.advance(seconds(100));
        assertThat(causes).hasSize(1);
        lease.onLoss(causes::add);
        env.settle();
        assertThat(causes).containsExactly(LossCause.GONE, LossCause.GONE);
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
        causes.clear();

        Lease second = lockedBy(ann);
        ann.does(lock::unlock).value();
        second.onLoss(causes::add);
        env.advance(seconds(100));
        assertThat(causes).isEmpty();
    }

    @Test
    void actionsRunInOrderOnAThreadOfTheFactoryAndWhatTheyThrowIsLogged() {
        Lease lease = lockedBy(ann);
        List<String> order = new ArrayList<>();
        lease.onLoss(cause -> {
            order.add("first on " + Thread.currentThread().getName().replaceAll("-[0-9]+-", "-n-"));
            throw new IllegalStateException("planted in an action");
        });
        lease.onLoss(cause -> {
            order.add("second");
            throw new AssertionError("planted in an action");
        });
        lease.onLoss(cause -> order.add("third"));
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(order).containsExactly("first on interlock-memory-n-notice", "second", "third");
        assertThat(logged())
                .filteredOn(line -> line.contains("planted in an action"))
                .hasSize(2);
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
    }

    @Test
    void anActionMayUseTheLock() {
        Lease lease = lockedBy(ann);
        List<Boolean> acquired = new ArrayList<>();
        lease.onLoss(cause -> {
            acquired.add(lock.tryLock());
            lock.unlock();
        });
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(acquired).containsExactly(true);
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
    }

    @Test
    void theHolderIsInterruptedIfItAskedForThat() {
        DistributedLock nervous =
                one.lock(LockOptions.builder().interruptOnLoss(true).build());
        Call<Void> work = ann.does(() -> {
            nervous.lock();
            env.park(this, Long.MAX_VALUE);
        });
        Call<Void> calm = bob.does(() -> {
            one.engine().getLock("other").lock();
            env.park(this, seconds(50).toNanos());
        });
        server.delete(NAME);
        server.delete("other");
        env.advance(seconds(10));
        assertThat(work.interruptedAfter()).isTrue();
        assertThat(calm.isDone()).isFalse();
        env.advance(seconds(40));
        assertThat(calm.interruptedAfter()).isFalse();
        assertLost(ann.does(nervous::unlock).failure(), LossCause.GONE);
        assertThat(bob.does(one.engine().getLock("other")::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anActionThatThrowsAnUndeclaredExceptionDoesNotSilenceOthers() {
        Lease lease = lockedBy(ann);
        lease.onLoss(cause -> {
            throw InMemoryProtocol.undeclared(new java.io.IOException("planted"));
        });
        lease.onLoss(causes::add);
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(causes).as("the actions before and after it").containsExactly(LossCause.GONE, LossCause.GONE);
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
    }

    @Test
    void aWatchThatDoesNotCloseHurtsNoOtherLock() {
        one.protocol().closesBadly = true;
        server.steal(NAME, seconds(1));
        Call<Void> waiting = ann.does(lock::lock);
        // Close enough together to be renewed in one batch.
        env.advance(millis(1_010));
        waiting.value();
        bob.does(one.engine().getLock("other")::lock).value();
        server.delete(NAME);
        env.advance(seconds(100));
        assertThat(bob.asks(one.engine().getLock("other")::isHeldByCurrentThread)
                        .value())
                .isTrue();
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
        bob.does(one.engine().getLock("other")::unlock).value();
    }

    @Test
    void aHolderThatLearnsOfItsLossFromUnlockIsNotInterruptedAsWell() {
        DistributedLock nervous =
                one.lock(LockOptions.builder().interruptOnLoss(true).build());
        ann.does(nervous::lock).value();
        server.delete(NAME);
        Call<Void> unlock = ann.does(nervous::unlock);
        assertLost(unlock.failure(), LossCause.GONE);
        assertThat(unlock.interruptedAfter()).isFalse();
    }

    @Test
    void aLostHandleTellsTheFirstWhoClosesIt() {
        LockHandle lease = ann.asks(lock::acquire).value();
        lease.onLoss(causes::add);
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(causes).containsExactly(LossCause.GONE);
        assertLost(bob.does(lease::close).failure(), LossCause.GONE);
        bob.does(lease::close).value();
        ann.does(lease::close).value();
    }

    @Test
    void aReleaseThatFindsTheLockGoneOrTakenTellsTheHolder() {
        lockedBy(ann);
        server.delete(NAME);
        Call<Void> waiting = bob.does(lock::lock);
        env.suspend(seconds(60));
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        env.advance(millis(10));
        waiting.value();
        server.steal(NAME, seconds(9));
        assertLost(bob.does(lock::unlock).failure(), LossCause.TAKEN);
        assertThat(server.isFree(NAME)).isFalse();
        assertThat(causes).containsExactly(LossCause.GONE);
    }

    @Test
    void aHandleThatIsFoundGoneAtItsReleaseTellsOnce() {
        LockHandle lease = ann.asks(lock::acquire).value();
        server.delete(NAME);
        assertLost(ann.does(lease::close).failure(), LossCause.GONE);
        ann.does(lease::close).value();
        assertThat(lease.toString()).contains("LOST");
    }

    @Test
    void theHoldsOfOneThreadAreLostOneByOneAndOnlyThoseOfTheNameThatWasLost() {
        DistributedLock other = one.engine().getLock("other");
        lockedBy(ann);
        ann.does(other::lock).value();
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(ann.asks(other::isHeldByCurrentThread).value()).isTrue();
        ann.does(other::unlock).value();
        assertLost(ann.does(lock::unlock).failure(), LossCause.GONE);
    }

    @Test
    void whatAFailedExtensionMayHaveLeftWithTheBackendIsGivenBackWhenTheLeaseOfADeadThreadEnds() {
        Person mortal = env.person("mortal");
        mortal.does(lock::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.lostReply());
        assertThat(mortal.does(() -> lock.lease().orElseThrow().ensureValid(Duration.ofHours(1)))
                        .failure())
                .isInstanceOf(LockBackendException.class);
        env.advance(seconds(5));
        mortal.end();
        env.advance(seconds(41));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().released())
                .as("a signal for which the thread has waited is for the next waiter")
                .isNotEmpty()
                .noneMatch(Claim::isHeld);
    }

    @Test
    void reentryAsksTheBackendIfThatHasNotConfirmedTheLockForAThirdOfTheLease() {
        DistributedLock unrenewed =
                one.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        ann.does(unrenewed::lock).value();
        env.advance(seconds(9));
        ann.does(unrenewed::lock).value();
        assertThat(one.protocol().calls(Verb.RENEW)).as("confirmed 9 s ago").isZero();
        env.advance(seconds(2));
        ann.does(unrenewed::lock).value();
        assertThat(one.protocol().calls(Verb.RENEW)).as("confirmed 11 s ago").isOne();
        assertThat(server.ttl(NAME))
                .as("not extended")
                .isBetween(seconds(19), seconds(19).plusMillis(1));
        server.delete(NAME);
        env.advance(seconds(11));
        assertLost(ann.does(unrenewed::lock).failure(), LossCause.GONE);
        for (int i = 0; i < 3; i++) {
            assertLost(ann.does(unrenewed::unlock).failure(), LossCause.GONE);
        }
    }

    @Test
    void toStringHasNoEffectThoughTheLeaseIsOver() {
        DistributedLock unrenewed =
                one.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        ann.does(unrenewed::lock).value();
        ann.asks(unrenewed::lease).value().orElseThrow().onLoss(causes::add);
        env.oversleep("-timer", seconds(5));
        env.advance(LEASE.plusSeconds(1));
        assertThat(ann.asks(unrenewed::toString).value()).contains(NAME);
        assertThat(causes).as("nobody has found the end of the lease yet").isEmpty();
        env.advance(seconds(5));
        assertThat(causes).containsExactly(LossCause.EXPIRED);
        assertLost(ann.does(unrenewed::unlock).failure(), LossCause.EXPIRED);
    }

    @Test
    void anInterruptThatAnActionLeavesBehindDoesNotReachTheNext() {
        List<Boolean> interrupted = new ArrayList<>();
        Lease lease = lockedBy(ann);
        lease.onLoss(cause -> Thread.currentThread().interrupt());
        lease.onLoss(cause -> interrupted.add(Thread.currentThread().isInterrupted()));
        server.delete(NAME);
        env.advance(seconds(11));
        assertThat(interrupted).containsExactly(false);
        ann.does(lock::unlock).failure();
    }
}
