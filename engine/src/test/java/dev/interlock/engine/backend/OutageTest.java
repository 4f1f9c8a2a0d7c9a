// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import dev.interlock.engine.protocol.Claim;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests without an answer, and outages. */
class OutageTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();
    private final DistributedLock lock = one.lock();

    private void assertFailed(Call<?> call, Reason reason) {
        assertThat(call.failure())
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void anAttemptWithoutAnAnswerIsNotHeldNotRenewedAndUndone() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        Call<Void> call = ann.does(lock::lock);
        assertFailed(call, Reason.OUTCOME_UNKNOWN);
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(server.isFree(NAME)).isTrue();
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
        assertThat(one.protocol().calls(Verb.RELEASE))
                .as("twice, in case of a late effect")
                .isEqualTo(2);
    }

    @Test
    void anAttemptThatIsCarriedOutLateIsUndoneToo() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lateEffect(seconds(2)));
        assertFailed(ann.does(lock::lock), Reason.OUTCOME_UNKNOWN);
        env.advance(seconds(2));
        assertThat(server.isFree(NAME)).as("the ghost").isFalse();
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void anUndoingWhoseLaneCannotBeToldIsTriedAgain() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        one.protocol().laneFailsFor = NAME;
        assertFailed(ann.does(lock::lock), Reason.OUTCOME_UNKNOWN);
        assertThat(one.protocol().laneFailsFor).isNull();
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aFailedWaiterBacksOffHoweverManySignalsCome() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = bob.does(two.lock()::lock);
        two.protocol().always(Verb.ATTEMPT, RequestFault.unreachable());
        server.publish(NAME);
        env.advance(seconds(5));
        int asked = two.protocol().calls(Verb.ATTEMPT);
        for (int i = 0; i < 200; i++) {
            server.publish(NAME);
            env.advance(millis(1));
        }
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isLessThanOrEqualTo(asked + 1);
        two.protocol().heal();
        server.delete(NAME);
        env.advance(seconds(2));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void theUndoingIsRepeatedUntilItIsConfirmed() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        one.protocol()
                .next(
                        Verb.RELEASE,
                        RequestFault.unreachable(),
                        RequestFault.lostRequest(),
                        RequestFault.exception(),
                        RequestFault.error(),
                        RequestFault.unreachable());
        assertFailed(ann.does(lock::lock), Reason.OUTCOME_UNKNOWN);
        env.advance(seconds(6));
        assertThat(server.isFree(NAME)).isTrue();
        env.advance(seconds(4));
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(7);
        assertThat(env.threads()).extracting(name -> name.replaceAll(".*-", "")).contains("timer");
    }

    @Test
    void theUndoingEndsSomeTimeAfterTheLeaseWouldHave() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        one.protocol().always(Verb.RELEASE, RequestFault.unreachable());
        assertFailed(ann.does(lock::lock), Reason.OUTCOME_UNKNOWN);
        env.advance(seconds(91));
        int calls = one.protocol().calls(Verb.RELEASE);
        assertThat(calls).isBetween(80, 200);
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(calls);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anExceptionInAnAttemptLeavesNothingBehind(boolean afterTheEffect) {
        one.protocol().next(Verb.ATTEMPT, afterTheEffect ? RequestFault.exceptionAfterEffect() : RequestFault.error());
        Call<Void> call = ann.does(lock::lock);
        assertThat(call.failure()).hasMessageContaining("planted");
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(bob.asks(lock::tryLock).value()).isTrue();
        bob.does(lock::unlock).value();
    }

    @ParameterizedTest
    @EnumSource(names = {"UNREACHABLE", "OUTCOME_UNKNOWN"})
    void unlockDoesNotFailBecauseOfTheBackendAndTheReleaseIsRepeated(Reason reason) {
        ann.does(lock::lock).value();
        RequestFault fault = switch (reason) {
            case UNREACHABLE -> RequestFault.unreachable();
            case REFUSED -> throw new AssertionError();
            case OUTCOME_UNKNOWN -> RequestFault.lostRequest();
        };
        one.protocol().next(Verb.RELEASE, fault, fault, fault);
        ann.does(lock::unlock).value();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(logged()).anyMatch(line -> line.contains("repeated in the background"));
        env.advance(seconds(1));
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(4);
        env.advance(seconds(100));
        assertThat(one.protocol().allCalls()).isEqualTo(5);
    }

    @Test
    void aReleaseThatTheBackendRejectsIsNotAskedForAgainAndAgain() {
        ann.does(lock::lock).value();
        one.protocol().always(Verb.RELEASE, RequestFault.refused());
        ann.does(lock::unlock).value();
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RELEASE)).isEqualTo(2);
        assertThat(logged()).anyMatch(line -> line.contains("cannot be released"));
    }

    @Test
    void anUndeclaredExceptionInAnAttemptLeavesNothingBehind() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.checkedException());
        assertThat(ann.does(lock::lock).failure()).hasMessageContaining("planted");
        env.advance(seconds(5));
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void tryLockDoesNotCallTheLockTakenWhileAnotherThreadRidesOutAnOutage() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = ann.does(lock::lock);
        one.protocol().always(Verb.ATTEMPT, RequestFault.unreachable());
        env.advance(seconds(2));
        assertFailed(bob.asks(lock::tryLock), Reason.UNREACHABLE);
        assertThat(waiting.isDone()).isFalse();
        one.protocol().always(Verb.ATTEMPT, RequestFault.none());
        server.delete(NAME);
        env.advance(seconds(2));
        waiting.value();
        ann.does(lock::unlock).value();
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsNoLoss() {
        ann.does(lock::lock).value();
        one.protocol().next(Verb.RELEASE, RequestFault.lostReply());
        ann.does(lock::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
        bob.does(two.lock()::lock).value();
        env.advance(seconds(5));
        assertThat(bob.asks(() -> two.lock().lease().orElseThrow().isValid()).value())
                .as("the repeated release takes nothing from others")
                .isTrue();
        assertThat(server.isFree(NAME)).isFalse();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void anAcquisitionWhoseFirstRequestFailsThrowsAtOnce() {
        one.protocol().all(RequestFault.unreachable());
        assertFailed(ann.does(lock::lock), Reason.UNREACHABLE);
        assertFailed(ann.does(lock::lockInterruptibly), Reason.UNREACHABLE);
        assertFailed(ann.asks(lock::tryLock), Reason.UNREACHABLE);
        assertFailed(ann.asks(() -> lock.tryLock(1, TimeUnit.HOURS)), Reason.UNREACHABLE);
        assertFailed(ann.asks(lock::acquire), Reason.UNREACHABLE);
        assertFailed(ann.asks(() -> lock.tryAcquire(seconds(5))), Reason.UNREACHABLE);
        assertThat(env.elapsed()).isZero();
        assertThat(one.protocol().allCalls()).isEqualTo(6);
    }

    private void answerOnce() {
        ann.does(one.engine().getLock("another")::lock).value();
        ann.does(one.engine().getLock("another")::unlock).value();
    }

    private void assertAskedAgainAfter(RequestFault fault) {
        answerOnce();
        List<Person.Action> acquisitions = List.of(
                lock::lock,
                () -> assertThat(lock.tryLock()).isTrue(),
                () -> assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue());
        for (Person.Action acquisition : acquisitions) {
            int before = one.protocol().calls(Verb.ATTEMPT);
            one.protocol().next(Verb.ATTEMPT, fault);
            ann.does(acquisition).value();
            assertThat(one.protocol().calls(Verb.ATTEMPT) - before).isEqualTo(2);
            ann.does(lock::unlock).value();
        }
        assertThat(env.elapsed()).isZero();
    }

    @Test
    void aFactoryThatWasAnsweredBeforeAsksOnceMoreWhereItsRequestWasNotSent() {
        assertAskedAgainAfter(RequestFault.unreachable());
    }

    @Test
    void aFactoryThatWasAnsweredBeforeAsksOnceMoreWhereItsRequestWasLostAtOnce() {
        assertAskedAgainAfter(RequestFault.lostRequest());
        assertThat(one.protocol().calls(Verb.RELEASE))
                .as("each lost request is undone twice, in case of a late effect")
                .isGreaterThanOrEqualTo(1 + 3 + 3);
    }

    @Test
    void asksOnceMoreUnderATokenOfItsOwnWithinTheSameTimeOut() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.lateEffect(seconds(1)).before(millis(1_500)));
        Call<Boolean> call = ann.asks(lock::tryLock);
        env.advance(millis(1_500));
        assertThat(call.value()).isTrue();
        List<Claim> attempted = one.protocol().attempted();
        Claim first = attempted.get(attempted.size() - 2);
        Claim second = attempted.get(attempted.size() - 1);
        assertThat(second.token()).isNotEqualTo(first.token());
        assertThat(second.timeout()).isEqualTo(first.timeout().minusMillis(1_500));
        env.advance(seconds(100));
        assertThat(ann.asks(lock::isHeldByCurrentThread).value())
                .as("the late effect harms nothing")
                .isTrue();
        assertThat(one.protocol().renewed())
                .as("what holds the lock has its whole time-out")
                .allSatisfy(claim -> assertThat(claim.timeout()).isEqualTo(first.timeout()));
        ann.does(lock::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aRequestThatUsedUpItsTimeOutIsNotFollowedByAnother() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostRequest().before(millis(1_999)));
        Call<Boolean> call = ann.asks(lock::tryLock);
        env.advance(millis(1_999));
        assertFailed(call, Reason.OUTCOME_UNKNOWN);
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(2);
    }

    @Test
    void tryLockDoesNotCallALockTakenThatItsOwnRequestMayHaveTaken() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        assertFailed(ann.asks(lock::tryLock), Reason.OUTCOME_UNKNOWN);
        env.settle();
        assertThat(server.isFree(NAME)).as("undone").isTrue();
    }

    @Test
    void lockWaitsForWhatItsOwnRequestMayHaveTaken() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostReply());
        ann.does(lock::lock).value();
        ann.does(lock::unlock).value();
    }

    @Test
    void aLockThatIsTakenIsRefusedByTheSecondRequestAsWell() {
        answerOnce();
        server.steal(NAME, seconds(100));
        one.protocol().next(Verb.ATTEMPT, RequestFault.unreachable());
        assertThat(ann.asks(lock::tryLock).value()).isFalse();
        server.delete(NAME);
    }

    @Test
    void whoPollsInAnOutageAsksOnceACallUntilTheBackendHasAnsweredAgain() {
        answerOnce();
        one.protocol().all(RequestFault.unreachable());
        for (int i = 0; i < 5; i++) {
            assertFailed(ann.asks(lock::tryLock), Reason.UNREACHABLE);
        }
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(1 + 2 + 4);
        one.protocol().heal();
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.unreachable());
        assertThat(ann.asks(lock::tryLock).value()).isTrue();
        ann.does(lock::unlock).value();
    }

    @Test
    void aRequestThatIsRejectedIsNotAskedAgain() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.refused());
        assertFailed(ann.asks(lock::tryLock), Reason.REFUSED);
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(2);
    }

    @Test
    void anErrorInTheSecondRequestLeavesNothingBehindEither() {
        answerOnce();
        one.protocol().next(Verb.ATTEMPT, RequestFault.lostRequest(), RequestFault.exceptionAfterEffect());
        assertThat(ann.asks(lock::tryLock).failure()).hasMessageContaining("planted");
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aSecondRequestWithoutAnAnswerIsUndoneAsWell() {
        answerOnce();
        int before = one.protocol().calls(Verb.RELEASE);
        one.protocol().next(Verb.ATTEMPT, RequestFault.unreachable(), RequestFault.lostReply());
        assertFailed(ann.asks(lock::tryLock), Reason.OUTCOME_UNKNOWN);
        env.settle();
        assertThat(server.isFree(NAME)).isTrue();
        env.advance(seconds(100));
        assertThat(one.protocol().calls(Verb.RELEASE) - before)
                .as("twice, in case of a late effect")
                .isEqualTo(2);
    }

    @Test
    void isLockedIsAskedOnceMoreToo() {
        one.protocol().next(Verb.IS_LOCKED, RequestFault.unreachable());
        assertFailed(ann.asks(lock::isLocked), Reason.UNREACHABLE);
        assertThat(ann.asks(lock::isLocked).value()).isFalse();
        one.protocol().next(Verb.IS_LOCKED, RequestFault.lostReply());
        assertThat(ann.asks(lock::isLocked).value()).isFalse();
        one.protocol().always(Verb.IS_LOCKED, RequestFault.unreachable());
        int before = one.protocol().calls(Verb.IS_LOCKED);
        for (int i = 0; i < 3; i++) {
            assertFailed(ann.asks(lock::isLocked), Reason.UNREACHABLE);
        }
        assertThat(one.protocol().calls(Verb.IS_LOCKED) - before).isEqualTo(2 + 2);
    }

    @Test
    void aWaiterRidesOutAnOutageThatIsShorterThanItsLease() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = ann.does(lock::lock);
        env.advance(seconds(5));
        one.protocol().all(RequestFault.unreachable());
        int before = one.protocol().calls(Verb.ATTEMPT);
        env.advance(seconds(28));
        assertThat(waiting.isDone()).isFalse();
        assertThat(one.protocol().calls(Verb.ATTEMPT) - before)
                .as("it goes easy")
                .isLessThan(70);
        one.protocol().heal();
        server.delete(NAME);
        env.advance(seconds(2));
        waiting.value();
        ann.does(lock::unlock).value();
    }

    @Test
    void aWaiterGivesUpInAnOutageThatIsLongerThanItsLease() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = ann.does(lock::lock);
        env.advance(seconds(5));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(29));
        assertThat(waiting.isDone()).isFalse();
        env.advance(seconds(3));
        assertFailed(waiting, Reason.UNREACHABLE);
        server.delete(NAME);
    }

    @Test
    void aTimedWaiterThrowsIfItsTimeEndsInAnOutage() {
        server.steal(NAME, seconds(100));
        Call<Boolean> waiting = ann.asks(() -> lock.tryLock(10, TimeUnit.SECONDS));
        Call<Boolean> queued = bob.asks(() -> lock.tryLock(9, TimeUnit.SECONDS));
        env.advance(seconds(5));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(4));
        assertFailed(queued, Reason.UNREACHABLE);
        assertThat(waiting.isDone()).isFalse();
        env.advance(seconds(1));
        assertFailed(waiting, Reason.UNREACHABLE);
        server.delete(NAME);
    }

    @Test
    void aTimedWaiterWhoseTimeEndsAfterAnOutageIsToldThatTheLockIsTaken() {
        server.steal(NAME, seconds(100));
        Call<Boolean> waiting = ann.asks(() -> lock.tryLock(10, TimeUnit.SECONDS));
        Call<Boolean> queued = bob.asks(() -> lock.tryLock(9, TimeUnit.SECONDS));
        env.advance(seconds(5));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(2));
        one.protocol().heal();
        env.advance(seconds(3));
        assertThat(queued.value()).isFalse();
        assertThat(waiting.value()).isFalse();
        server.delete(NAME);
    }

    @Test
    void aRequestThatIsRejectedEndsTheWaitAtOnce() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = ann.does(lock::lock);
        Call<Void> queued = bob.does(lock::lock);
        env.advance(seconds(5));
        one.protocol().always(Verb.ATTEMPT, RequestFault.refused());
        env.advance(seconds(1));
        assertFailed(waiting, Reason.REFUSED);
        assertFailed(queued, Reason.REFUSED);
        server.delete(NAME);
    }

    @Test
    void allWhoWaitInTheQueueAreToldTogether() {
        server.steal(NAME, seconds(100));
        List<Call<Void>> waiting = List.of(ann.does(lock::lock), bob.does(lock::lock), cleo.does(lock::lock));
        env.advance(seconds(1));
        one.protocol().all(RequestFault.lostRequest());
        env.advance(seconds(32));
        assertThat(waiting).allSatisfy(call -> assertFailed(call, Reason.OUTCOME_UNKNOWN));
        assertThat(waiting.stream().map(Call::failure)).doesNotHaveDuplicates();
        server.delete(NAME);
    }

    @Test
    void eachWaiterRidesOutAsMuchAsItsOwnLease() {
        server.steal(NAME, seconds(100));
        Call<Void> shorter = ann.does(one.lock(lease(seconds(5)))::lock);
        Call<Void> longer = bob.does(one.lock(lease(seconds(60)))::lock);
        Call<Void> alsoShorter = cleo.does(one.lock(lease(seconds(5)))::lock);
        env.advance(seconds(1));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(8));
        assertFailed(shorter, Reason.UNREACHABLE);
        assertFailed(alsoShorter, Reason.UNREACHABLE);
        env.advance(seconds(20));
        assertThat(longer.isDone()).isFalse();
        one.protocol().heal();
        server.delete(NAME);
        env.advance(seconds(2));
        longer.value();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void aWaiterBehindALongHoldRidesOutAnOutageAtItsTurn() {
        Jvm jvm = jvm(config -> config.localHandoffs(0));
        ann.does(jvm.lock()::lock).value();
        Call<Void> waiting = bob.does(jvm.lock()::lock);
        env.advance(seconds(605));
        jvm.protocol().always(Verb.ATTEMPT, RequestFault.unreachable());
        ann.does(jvm.lock()::unlock).value();
        env.advance(seconds(10));
        assertThat(waiting.isDone()).isFalse();
        jvm.protocol().heal();
        env.advance(seconds(2));
        waiting.value();
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void ownGhostsDoNotKeepAWaiterOutForLong() {
        server.steal(NAME, seconds(3));
        Call<Void> waiting = ann.does(lock::lock);
        env.advance(seconds(2));
        one.protocol()
                .next(
                        Verb.ATTEMPT,
                        RequestFault.lostReply(),
                        RequestFault.lostReply(),
                        RequestFault.lateEffect(seconds(1)));
        env.advance(seconds(8));
        waiting.value();
        Lease lease = ann.asks(lock::lease).value().orElseThrow();
        assertThat(lease.isValid()).isTrue();
        ann.does(lock::unlock).value();
        env.advance(seconds(4));
        assertThat(server.isFree(NAME)).isTrue();
    }
}
