// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The validity of grants, and their renewal. */
class RenewalTest extends EngineTest {
    private final Jvm one = jvm();

    private DistributedLock with(UnaryOperator<LockOptions.Builder> options) {
        return one.lock(options.apply(LockOptions.builder().lease(LEASE)).build());
    }

    private Lease leaseOf(Person person, DistributedLock lock) {
        return person.asks(lock::lease).value().orElseThrow();
    }

    @Test
    void validityIsCountedFromBeforeTheRequest() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(2)));
        Call<Void> call = ann.does(one.lock()::lock);
        env.advance(seconds(2));
        call.value();
        assertThat(leaseOf(ann, one.lock()).remaining()).isEqualTo(seconds(28));
        assertThat(server.ttl(NAME)).isEqualTo(seconds(30));
        one.protocol().next(Verb.RENEW, RequestFault.slowRequest(seconds(2)));
        env.advance(seconds(12));
        assertThat(leaseOf(ann, one.lock()).remaining()).isEqualTo(seconds(28));
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void theAllowanceOfTheStrategyIsTakenOff() {
        server.allowance = seconds(3);
        ann.does(one.lock()::lock).value();
        assertThat(leaseOf(ann, one.lock()).remaining()).isEqualTo(seconds(27));
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aGrantThatComesAfterItsEndIsNoGrantAndIsGivenBack() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(31)));
        Call<Void> call = ann.does(one.lock()::lock);
        env.advance(seconds(31));
        assertThat(call.failure()).hasMessageContaining("too slow");
        env.settle();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
    }

    @Test
    void aSuspendedMachineDistrustsItsLeaseUntilARenewalConfirmsIt() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        env.advance(seconds(1));
        env.suspend(seconds(29));
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        env.advance(seconds(10));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isEqualTo(seconds(29));
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aThreadOfASuspendedMachineThatAsksWhetherItHoldsTheLockIsToldWhatTheBackendSays() {
        ann.does(one.lock()::lock).value();
        bob.does(one.engine().getLock("other")::lock).value();
        env.suspend(seconds(40));
        server.delete("other");
        assertThat(ann.asks(one.lock()::isHeldByCurrentThread).value()).isTrue();
        assertThat(bob.asks(one.engine().getLock("other")::isHeldByCurrentThread)
                        .value())
                .isFalse();
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        ann.does(one.lock()::unlock).value();
        assertThat(bob.does(one.engine().getLock("other")::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aSuspendedMachineLearnsAtTheNextRenewalThatItsLeaseIsGone() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        env.suspend(Duration.ofHours(1));
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.does(one.lock()::unlock).failure())
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.GONE));
    }

    @Test
    void whenAnotherServerHasTakenOverAHolderLearnsAtOnceThatItsLeaseIsGone() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        List<LossCause> told = new ArrayList<>();
        lease.onLoss(told::add);
        env.advance(seconds(1));
        server.delete(NAME);

        one.protocol().takeover();
        env.advance(millis(100));

        assertThat(told).containsExactly(LossCause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.does(one.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whenAnotherServerHasTakenOverALeaseIsRenewedAtOnceAndOnce() {
        ann.does(one.lock()::lock).value();
        env.advance(seconds(1));

        one.protocol().takeover();
        env.advance(millis(100));

        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(1);
        assertThat(server.ttl(NAME)).isGreaterThan(seconds(29));
        env.advance(seconds(9));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(1);
        env.advance(seconds(1));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aRenewalThatBeganBeforeAnotherServerTookOverIsRepeatedThere() {
        ann.does(one.lock()::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.slowRequest(seconds(1)));
        env.advance(millis(10_500));

        one.protocol().takeover();
        env.advance(millis(100));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(1);

        env.advance(seconds(1));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aGrantThatWasAskedForBeforeAnotherServerTookOverIsRenewedThereAtOnce() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(1)));
        Call<Void> call = ann.does(one.lock()::lock);
        env.advance(millis(500));

        one.protocol().takeover();
        env.advance(seconds(1));

        call.value();
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(1);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aRenewalThatFailsAfterATakeoverIsNotRepeatedWithoutAPause() {
        ann.does(one.lock()::lock).value();
        env.advance(seconds(1));
        one.protocol().next(Verb.RENEW, RequestFault.unreachable());

        one.protocol().takeover();
        env.advance(seconds(1));

        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(1);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void manyTakeoversRenewALeaseNoMoreThanTenTimesInItsLength() {
        ann.does(one.lock()::lock).value();

        for (int i = 0; i < 100; i++) {
            env.advance(millis(20));
            one.protocol().takeover();
        }
        env.advance(seconds(4));

        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aGrantIsNotHandedOnBeforeTheServerThatHasTakenOverHasConfirmedIt() {
        ann.does(one.lock()::lock).value();
        Call<Void> second = bob.does(one.lock()::lock);
        Call<Void> third = cleo.does(one.lock()::lock);
        ann.does(one.lock()::unlock).value();
        second.value();
        env.advance(seconds(1));
        server.delete(NAME);
        int before = one.protocol().calls(Verb.ATTEMPT);

        // Before the renewing thread runs.
        bob.does(() -> {
            one.protocol().takeover();
            one.lock().unlock();
        });
        third.value();

        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(before + 1);
        assertThat(server.isFree(NAME)).isFalse();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void aHolderThatEntersAgainAfterATakeoverIsToldWhatTheNewServerSays() {
        ann.does(one.lock()::lock).value();
        env.advance(seconds(1));
        server.delete(NAME);
        one.protocol().next(Verb.RENEW, RequestFault.unreachable());
        one.protocol().takeover();
        env.advance(millis(10));

        assertThat(ann.does(one.lock()::lock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseThatIsNotToBeRenewedIsNotRenewedWhenAnotherServerTakesOver() {
        DistributedLock lock = with(options -> options.renewal(false));
        ann.does(lock::lock).value();
        env.advance(seconds(1));

        one.protocol().takeover();
        env.advance(seconds(1));

        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
        ann.does(lock::unlock).value();
    }

    @Test
    void steppingTheWallClockDoesNotLoseTheLock() {
        ann.does(one.lock()::lock).value();
        for (Duration step : List.of(Duration.ofDays(-400), Duration.ofDays(800), Duration.ofHours(-3))) {
            env.stepWall(step);
            env.advance(seconds(25));
            assertThat(leaseOf(ann, one.lock()).isValid()).isTrue();
        }
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aLeaseIsRenewedAtEachThirdForAsLongAsItIsHeld() {
        ann.does(one.lock()::lock).value();
        for (int i = 1; i <= 30; i++) {
            env.advance(seconds(10));
            assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(i);
            assertThat(server.ttl(NAME)).isEqualTo(LEASE);
        }
        ann.does(one.lock()::unlock).value();
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(30);
    }

    @Test
    void theInnerUnlockDoesNotEndRenewal() {
        ann.does(() -> {
                    one.lock().lock();
                    one.lock().lock();
                    one.lock().unlock();
                })
                .value();
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(10);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aThousandLocksAreRenewedInFewCalls() {
        Call<Void> call = ann.does(() -> {
            for (int i = 0; i < 1000; i++) {
                one.engine().getLock("lock " + i).lock();
                if (i % 100 == 99) {
                    env.park(this, millis(5).toNanos());
                }
            }
        });
        env.advance(seconds(1));
        call.value();
        env.advance(seconds(19));
        assertThat(one.protocol().calls(Verb.RENEW)).isLessThanOrEqualTo(2);
        assertThat(one.protocol().renewed()).hasSizeGreaterThanOrEqualTo(1000);
        ann.does(() -> {
                    for (int i = 0; i < 1000; i++) {
                        one.engine().getLock("lock " + i).unlock();
                    }
                })
                .value();
    }

    @Test
    void withoutRenewalTheLeaseEndsAndTheHolderIsTold() {
        DistributedLock lock = with(options -> options.renewal(false));
        ann.does(lock::lock).value();
        List<LossCause> causes = new ArrayList<>();
        Lease lease = leaseOf(ann, lock);
        lease.onLoss(causes::add);
        env.advance(LEASE.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(causes).isEmpty();
        env.advance(Duration.ofNanos(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(causes).containsExactly(LossCause.EXPIRED);
        assertThat(one.protocol().allCalls()).isOne();
        assertThat(ann.does(lock::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void oneFailedRenewalIsRepeatedBeforeTheLeaseEnds() {
        ann.does(one.lock()::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.lostRequest(), RequestFault.unreachable());
        env.advance(seconds(13));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        env.advance(seconds(3));
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(3);
        assertThat(leaseOf(ann, one.lock()).remaining()).isEqualTo(LEASE);
        env.advance(seconds(60));
        assertThat(leaseOf(ann, one.lock()).isValid()).isTrue();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void anExceptionOrErrorInARenewalDoesNotEndRenewalForAnyLock() {
        DistributedLock other = one.engine().getLock("other");
        ann.does(one.lock()::lock).value();
        bob.does(other::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.exception(), RequestFault.error());
        env.advance(seconds(120));
        assertThat(leaseOf(ann, one.lock()).isValid()).isTrue();
        assertThat(leaseOf(bob, other).isValid()).isTrue();
        ann.does(one.lock()::unlock).value();
        bob.does(other::unlock).value();
    }

    @Test
    void aRenewalNeverCreatesTheLockAgain() {
        ann.does(one.lock()::lock).value();
        server.delete(NAME);
        env.advance(seconds(60));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().calls(Verb.RENEW)).isOne();
        assertThat(ann.does(one.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void renewalEndsWithTheThreadThatHoldsTheLock() {
        Person mortal = env.person("mortal");
        mortal.does(one.lock()::lock).value();
        Lease lease = leaseOf(mortal, one.lock());
        List<LossCause> causes = new ArrayList<>();
        lease.onLoss(causes::add);
        env.advance(seconds(50));
        assertThat(lease.isValid()).isTrue();
        mortal.end();
        Call<Void> waiting = ann.does(one.lock()::lock);
        env.advance(seconds(31));
        assertThat(causes).containsExactly(LossCause.OWNER_DIED);
        waiting.value();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aHandleIsRenewedThoughTheThreadThatAcquiredItHasEnded() {
        Person mortal = env.person("mortal");
        LockHandle lease = mortal.asks(one.lock()::acquire).value();
        mortal.end();
        env.advance(seconds(100));
        assertThat(lease.isValid()).isTrue();
        ann.does(lease::close).value();
    }

    @Test
    void renewalGoesNoFurtherThanMaxHold() {
        DistributedLock lock = with(options -> options.maxHold(seconds(65)));
        ann.does(lock::lock).value();
        List<LossCause> causes = new ArrayList<>();
        leaseOf(ann, lock).onLoss(causes::add);
        env.advance(seconds(65).minusNanos(1));
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isTrue();
        env.advance(Duration.ofNanos(1));
        assertThat(causes).containsExactly(LossCause.MAX_HOLD);
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(ann.does(lock::unlock).failure()).hasMessageContaining("maxHold");
    }

    @Test
    void maxHoldMayBeTheLease() {
        DistributedLock lock = with(options -> options.maxHold(LEASE));
        ann.does(lock::lock).value();
        List<LossCause> causes = new ArrayList<>();
        leaseOf(ann, lock).onLoss(causes::add);
        env.advance(LEASE.minusMillis(1));
        assertThat(causes).isEmpty();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isTrue();
        env.advance(millis(1));
        assertThat(causes).containsExactly(LossCause.MAX_HOLD);
        assertThat(ann.does(lock::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aHoldThatWentAsFarAsMaxHoldIsNotRenewedAgainBecauseOfAnOlderRenewalThatIsAnsweredLater() {
        DistributedLock lock = with(options -> options.maxHold(seconds(38)));
        LockHandle handle = ann.asks(lock::acquire).value();
        List<LossCause> causes = new ArrayList<>();
        handle.onLoss(causes::add);
        // Asked for while the whole lease still fits, and answered after the last renewal that did not.
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(4)));
        env.advance(seconds(7));
        Call<Void> whole = bob.does(() -> handle.ensureValid(LEASE));
        env.advance(seconds(3));
        assertThat(handle.remaining()).as("capped").isEqualTo(seconds(28));
        env.advance(seconds(28).minusNanos(1));
        assertThat(whole.failure()).hasMessageContaining("the answer took so long");
        assertThat(one.protocol().calls(Verb.RENEW)).isEqualTo(2);
        assertThat(causes).isEmpty();
        env.advance(Duration.ofNanos(1));
        assertThat(causes).containsExactly(LossCause.MAX_HOLD);
        assertThat(ann.does(handle::close).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aConfirmationOfALeaseThatIsNotRenewedDoesNotMoveItsEnd() {
        DistributedLock lock = with(options -> options.renewal(false));
        ann.does(lock::lock).value();
        List<LossCause> causes = new ArrayList<>();
        leaseOf(ann, lock).onLoss(causes::add);
        // Servers count whole milliseconds, so that what is left is rounded up when it is asked for.
        env.advance(seconds(11).plusNanos(1));
        ann.does(lock::lock).value();
        assertThat(one.protocol().calls(Verb.RENEW)).as("the confirmation").isOne();
        env.advance(seconds(19).minusNanos(2));
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isTrue();
        env.advance(Duration.ofNanos(1));
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(causes).containsExactly(LossCause.EXPIRED);
        for (int i = 0; i < 2; i++) {
            assertThat(ann.does(lock::unlock).failure()).isInstanceOf(LeaseLostException.class);
        }
    }

    @Test
    void anAnswerToARenewalThatComesAfterUnlockChangesNothing() {
        ann.does(one.lock()::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(3)));
        env.advance(seconds(11));
        ann.does(one.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
        bob.does(one.lock()::lock).value();
        env.advance(seconds(5));
        assertThat(leaseOf(bob, one.lock()).remaining()).isEqualTo(seconds(25));
        env.advance(seconds(60));
        assertThat(leaseOf(bob, one.lock()).isValid()).isTrue();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void anAnswerToARenewalThatComesAfterTheEndAndBeforeALateTimerDoesNotBringTheLeaseBack() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(21)));
        env.advance(seconds(29));
        env.oversleep("-timer", seconds(5));
        env.advance(seconds(2));
        assertThat(lease.isValid()).isFalse();
        env.advance(seconds(5));
        assertThat(lease.isValid()).isFalse();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(ann.does(one.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aProcessThatStoodStillDoesNotRenewWhatIsOver() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        env.advance(seconds(9));
        server.steal(NAME, seconds(1000));
        env.oversleep("-timer", seconds(25));
        env.advance(seconds(27));
        assertThat(lease.isValid()).isFalse();
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
        env.advance(seconds(30));
        server.delete(NAME);
        assertThat(ann.does(one.lock()::unlock).failure())
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.EXPIRED));
    }

    @Test
    void anAnswerToARenewalThatComesAfterTheEndDoesNotBringTheLeaseBack() {
        ann.does(one.lock()::lock).value();
        Lease lease = leaseOf(ann, one.lock());
        List<LossCause> causes = new ArrayList<>();
        lease.onLoss(causes::add);
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(25)));
        env.advance(seconds(30));
        assertThat(causes).containsExactly(LossCause.UNREACHABLE);
        assertThat(lease.isValid()).isFalse();
        env.advance(seconds(6));
        assertThat(lease.isValid()).isFalse();
        assertThat(server.isFree(NAME))
                .as("what the renewal extended is given back")
                .isTrue();
        assertThat(ann.does(one.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anUndeclaredExceptionDoesNotEndTheRenewalOfOtherLocks() {
        one.protocol().next(Verb.RENEW, RequestFault.checkedException());
        ann.does(one.lock()::lock).value();
        env.advance(seconds(100));
        assertThat(ann.asks(one.lock()::isHeldByCurrentThread).value()).isTrue();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aLockForWhichNoThreadCanBeHadIsNotHeldByAnybody() {
        env.refuseThread("-timer");
        assertThat(ann.does(one.lock()::lock).failure()).isInstanceOf(OutOfMemoryError.class);
        env.advance(seconds(5));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(bob.asks(one.lock()::tryLock).value()).isTrue();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void aLockForWhichNoTimerCanBeHadIsNotAskedForHoweverOftenItFails() {
        for (int i = 0; i < 3; i++) {
            env.refuseThread("-timer");
        }
        for (int i = 0; i < 3; i++) {
            assertThat(ann.does(one.lock()::lock).failure()).isInstanceOf(OutOfMemoryError.class);
            assertThat(server.isFree(NAME)).isTrue();
        }
        assertThat(one.protocol().allCalls()).isZero();
        ann.does(one.lock()::lock).value();
        ann.does(one.lock()::unlock).value();
    }

    private void renewalOutlivesAnErrorIn(String method) {
        ann.does(one.lock()::lock).value();
        bob.does(one.engine().getLock("other")::lock).value();
        env.failIn(method);
        env.advance(seconds(15));
        assertThat(logged()).anyMatch(line -> line.contains("OutOfMemoryError: planted"));
        env.advance(seconds(45));
        assertThat(ann.asks(one.lock()::isHeldByCurrentThread).value()).isTrue();
        assertThat(bob.asks(one.engine().getLock("other")::isHeldByCurrentThread)
                        .value())
                .isTrue();
        ann.does(one.lock()::unlock).value();
        bob.does(one.engine().getLock("other")::unlock).value();
    }

    @Test
    void theTimerOutlivesAnErrorOutsideOfItsHandler() {
        renewalOutlivesAnErrorIn("takeDue");
    }

    @Test
    void anErrorInTheHandlerOfTheTimerEndsTheRenewalOfNoLock() {
        renewalOutlivesAnErrorIn("isOver");
    }

    @Test
    void anErrorAtTheBeginningOfARenewalEndsTheRenewalOfNoLock() {
        renewalOutlivesAnErrorIn("isRenewalDue");
    }

    @Test
    void anErrorBeforeTheRequestIsSentEndsTheRenewalOfNoLock() {
        renewalOutlivesAnErrorIn("send");
    }

    @Test
    void aLaneThatCannotBeToldOnceEndsTheRenewalOfNoLock() {
        ann.does(one.lock()::lock).value();
        bob.does(one.engine().getLock("moving")::lock).value();
        one.protocol().laneFailsFor = "moving";
        env.advance(seconds(60));
        assertThat(one.protocol().laneFailsFor).isNull();
        assertThat(ann.asks(one.lock()::isHeldByCurrentThread).value()).isTrue();
        assertThat(bob.asks(one.engine().getLock("moving")::isHeldByCurrentThread)
                        .value())
                .isTrue();
        ann.does(one.lock()::unlock).value();
        bob.does(one.engine().getLock("moving")::unlock).value();
    }

    @Test
    void aRenewalWithoutAnAnswerEndsInTimeForAnotherOneWithinTheLease() {
        Jvm jvm = jvm(config -> config.commandTimeout(seconds(2)));
        assertThat(timeoutOfRenewals(jvm, seconds(30))).isEqualTo(seconds(2));
        assertThat(timeoutOfRenewals(jvm, seconds(6))).isEqualTo(seconds(2));
        assertThat(timeoutOfRenewals(jvm, millis(1_800))).isEqualTo(millis(600));
        assertThat(timeoutOfRenewals(jvm, millis(90)))
                .as("below this, a healthy server may be too slow")
                .isEqualTo(millis(100));
        assertThat(timeoutOfRenewals(jvm(config -> config.commandTimeout(millis(50))), millis(90)))
                .isEqualTo(millis(50));
    }

    private Duration timeoutOfRenewals(Jvm jvm, Duration lease) {
        DistributedLock lock = jvm.lock(lease(lease));
        int before = jvm.protocol().renewed().size();
        ann.does(lock::lock).value();
        env.advance(lease);
        ann.does(lock::unlock).value();
        List<Claim> renewed = jvm.protocol().renewed();
        return renewed.subList(before, renewed.size()).stream()
                .map(Claim::timeout)
                .distinct()
                .reduce((one, two) -> {
                    throw new AssertionError("time-outs of " + one + " and of " + two);
                })
                .orElseThrow();
    }
}
