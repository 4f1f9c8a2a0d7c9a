// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.several;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockListener;
import dev.interlock.LockOptions;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.RequestFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Locks over several names, in situations that the rules of the conformance kit cannot cause or cannot observe. */
class SeveralNamesTest extends EngineTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final Jvm one = jvm();
    private final Jvm other = jvm();
    private final DistributedLock lock = one.engine().getLock(NAMES);

    private DistributedLock elsewhere(String name) {
        return other.engine().getLock(name);
    }

    private void assertAllFree() {
        NAMES.forEach(name -> assertThat(server.isFree(name)).as(name).isTrue());
    }

    private static LockOptions unrenewed(Duration lease) {
        return lease(lease).toBuilder().renewal(false).build();
    }

    @Test
    void allFreeNamesAreTakenAndGivenBackByOneRequestEach() {
        one.protocol().joint = true;
        ann.does(lock::lock).value();
        NAMES.forEach(name -> assertThat(server.isFree(name)).isFalse());
        ann.does(lock::unlock).value();
        assertThat(one.protocol().calls(Verb.TAKE_TOGETHER)).isEqualTo(1);
        assertThat(one.protocol().calls(Verb.RELEASE_TOGETHER)).isEqualTo(1);
        assertThat(one.protocol().allCalls()).isEqualTo(2);
        assertAllFree();
    }

    @Test
    void whatTheThreadHoldsAlreadyIsNotAskedForAgain() {
        one.protocol().joint = true;
        ann.does(one.engine().getLock("a")::lock).value();
        ann.does(lock::lock).value();
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isEqualTo(1);
        assertThat(one.protocol().calls(Verb.TAKE_TOGETHER)).isEqualTo(1);
        ann.does(lock::unlock).value();
        assertThat(one.protocol().calls(Verb.RELEASE_TOGETHER)).isEqualTo(1);
        assertThat(server.isFree("a")).isFalse();
        ann.does(one.engine().getLock("a")::unlock).value();
    }

    @Test
    void aTryThatIsRefusedAsksOnce() {
        one.protocol().joint = true;
        bob.does(elsewhere("c")::lock).value();
        assertThat(ann.asks(lock::tryLock).value()).isFalse();
        assertThat(one.protocol().allCalls()).isEqualTo(1);
        bob.does(elsewhere("c")::unlock).value();
        assertThat(ann.asks(lock::tryLock).value()).isTrue();
        ann.does(lock::unlock).value();
    }

    @Test
    void whoeverIsRefusedTogetherWaitsNameByName() {
        one.protocol().joint = true;
        bob.does(elsewhere("b")::lock).value();
        Person.Call<Void> waiting = ann.does(lock::lock);
        assertThat(server.isFree("a")).isFalse();
        assertThat(server.isFree("c")).isTrue();
        bob.does(elsewhere("b")::unlock).value();
        env.advance(seconds(1));
        waiting.value();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isTrue();
        ann.does(lock::unlock).value();
        assertAllFree();
    }

    @Test
    void threadsOfOneFactoryHandTheNamesToEachOther() {
        one.protocol().joint = true;
        ann.does(lock::lock).value();
        Person.Call<Void> waiting = bob.does(lock::lock);
        Person.Call<Boolean> tried = cleo.asks(lock::tryLock);
        assertThat(tried.value()).isFalse();
        ann.does(lock::unlock).value();
        env.advance(seconds(1));
        waiting.value();
        assertThat(bob.asks(lock::isHeldByCurrentThread).value()).isTrue();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        bob.does(lock::unlock).value();
        assertAllFree();
    }

    @Test
    void aRequestWithoutAnAnswerThrowsAndIsUndoneForEachName() {
        one.protocol().joint = true;
        one.protocol().next(Verb.TAKE_TOGETHER, RequestFault.lostReply());
        assertThat(ann.does(lock::lock).failure()).isInstanceOf(LockBackendException.class);
        env.advance(seconds(5));
        assertAllFree();
        assertThat(one.protocol().calls(Verb.ATTEMPT)).isZero();
    }

    @Test
    void aRequestThatFailsAfterAnAnswerIsMadeOnceMore() {
        one.protocol().joint = true;
        ann.does(lock::lock).value();
        ann.does(lock::unlock).value();
        one.protocol().next(Verb.TAKE_TOGETHER, RequestFault.unreachable());
        ann.does(lock::lock).value();
        assertThat(one.protocol().calls(Verb.TAKE_TOGETHER)).isEqualTo(3);
        one.protocol().next(Verb.RELEASE_TOGETHER, RequestFault.lostRequest());
        ann.does(lock::unlock).value();
        env.advance(seconds(5));
        assertAllFree();
    }

    @Test
    void anInterruptDuringTheRequestForAllEndsTheAcquisition() {
        one.protocol().joint = true;
        one.protocol().next(Verb.TAKE_TOGETHER, RequestFault.slowReply(millis(500)));
        Person.Call<Void> call = ann.does(lock::lockInterruptibly);
        ann.interrupt();
        env.advance(seconds(1));
        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        assertAllFree();
    }

    @Test
    void aNameThatIsLostBeforeTheOthersAreThereIsAcquiredAgainWithThem() {
        bob.does(elsewhere("b")::lock).value();
        Person.Call<Void> waiting = ann.does(lock::lock);
        server.delete("a");
        env.advance(LEASE);
        assertThat(server.isFree("a")).isTrue();
        bob.does(elsewhere("b")::unlock).value();
        env.advance(seconds(1));
        waiting.value();
        assertThat(ann.asks(() -> lock.lease().orElseThrow().remaining()).value())
                .isGreaterThan(LEASE.minusSeconds(5));
        NAMES.forEach(name -> assertThat(server.isFree(name)).isFalse());
        ann.does(lock::unlock).value();
    }

    @Test
    void whatIsNotRenewedByItselfIsKeptWhileTheOtherNamesAreWaitedFor() {
        DistributedLock unrenewed = one.engine().getLock(NAMES, unrenewed(LEASE));
        bob.does(elsewhere("c")::lock).value();
        Person.Call<Void> waiting = ann.does(unrenewed::lock);
        for (int i = 0; i < 20; i++) {
            env.advance(seconds(7));
            assertThat(server.isFree("a")).isFalse();
            assertThat(server.isFree("b")).isFalse();
        }
        bob.does(elsewhere("c")::unlock).value();
        env.advance(millis(100));
        waiting.value();
        assertThat(one.protocol().attempted().stream()
                        .filter(claim -> claim.name().equals("a")))
                .hasSize(1);
        assertThat(ann.asks(() -> lock.lease().orElseThrow().remaining()).value())
                .isGreaterThan(LEASE.dividedBy(2));
        env.advance(LEASE);
        NAMES.forEach(name -> assertThat(server.isFree(name)).isTrue());
        assertThat(ann.does(unrenewed::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void ensureValidTellsOfALossOfTheWholeThatComesWhileItWaitsForAnAnswer() {
        DistributedLock unrenewed = one.engine().getLock(NAMES, unrenewed(LEASE));
        DistributedLock last = one.engine().getLock("c", unrenewed(LEASE));
        ann.does(last::lock).value();
        env.advance(LEASE.dividedBy(4));
        assertThat(ann.asks(unrenewed::tryLock).value()).isTrue();
        Lease lease = ann.asks(() -> unrenewed.lease().orElseThrow()).value();
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(LEASE.multipliedBy(2)));
        Person.Call<Void> ensuring = ann.does(() -> lease.ensureValid(LEASE.multipliedBy(2)));
        env.advance(LEASE.multipliedBy(3));
        assertThat(ensuring.failure())
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lockName()).isEqualTo(unrenewed.name()));
        assertThat(ann.does(unrenewed::unlock).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(ann.does(last::unlock).failure()).isInstanceOf(LeaseLostException.class);
        assertAllFree();
    }

    @Test
    void theLongestTimeOfAHoldBeginsWhenAllNamesAreThere() {
        Duration most = LEASE.multipliedBy(4);
        LockOptions options = lease(LEASE).toBuilder().maxHold(most).build();
        DistributedLock limited = one.engine().getLock(NAMES, options);
        bob.does(elsewhere("c")::lock).value();
        Person.Call<Void> waiting = ann.does(limited::lock);
        env.advance(most.multipliedBy(2));
        assertThat(server.isFree("a")).isFalse();
        bob.does(elsewhere("c")::unlock).value();
        env.advance(seconds(1));
        waiting.value();
        env.advance(most.minusSeconds(10));
        assertThat(ann.asks(limited::isHeldByCurrentThread).value()).isTrue();
        env.advance(seconds(20));
        NAMES.forEach(name -> assertThat(server.isFree(name)).isTrue());
        assertThat(ann.does(limited::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void afterALossTheLockIsAcquiredAfreshThoughItsOtherNamesAreNotGivenBackYet() {
        DistributedLock many = one.engine().getLock(List.of("a", "b", "c", "d", "e", "f"));
        ann.does(many::lock).value();
        server.delete("a");
        one.protocol().always(Verb.RELEASE, RequestFault.slowRequest(seconds(1)));
        env.advance(LEASE.dividedBy(3).plusMillis(100));
        assertThat(server.isFree("f")).isFalse();
        assertThat(ann.does(many::lock).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(ann.asks(one.engine().getLock("f")::isHeldByCurrentThread).value())
                .isFalse();
        Person.Call<Void> again = ann.does(many::lock);
        one.protocol().heal();
        env.advance(seconds(10));
        again.value();
        assertThat(ann.asks(many::isHeldByCurrentThread).value()).isTrue();
        ann.does(many::unlock).value();
    }

    @Test
    void anOutageBetweenTwoNamesIsRiddenOut() {
        bob.does(elsewhere("b")::lock).value();
        Person.Call<Void> waiting = ann.does(lock::lock);
        one.protocol()
                .next(
                        Verb.ATTEMPT,
                        RequestFault.none(),
                        RequestFault.unreachable(),
                        RequestFault.unreachable(),
                        RequestFault.unreachable());
        bob.does(elsewhere("b")::unlock).value();
        env.advance(seconds(5));
        waiting.value();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isTrue();
        ann.does(lock::unlock).value();
    }

    @Test
    void anOutageAfterTheRefusalOfAllNamesIsRiddenOut() {
        one.protocol().joint = true;
        bob.does(elsewhere("c")::lock).value();
        one.protocol()
                .next(Verb.ATTEMPT, RequestFault.unreachable(), RequestFault.unreachable(), RequestFault.unreachable());
        Person.Call<Void> waiting = ann.does(lock::lock);
        env.advance(seconds(5));
        assertThat(waiting.isDone()).isFalse();
        bob.does(elsewhere("c")::unlock).value();
        env.advance(seconds(5));
        waiting.value();
        ann.does(lock::unlock).value();
    }

    @Test
    void anOutageWhenAllNamesAreAskedForAgainIsRiddenOut() {
        one.protocol().joint = true;
        bob.does(elsewhere("c")::lock).value();
        Person.Call<Void> waiting = ann.does(lock::lock);
        server.delete("a");
        one.protocol().next(Verb.TAKE_TOGETHER, RequestFault.unreachable(), RequestFault.unreachable());
        env.advance(LEASE);
        bob.does(elsewhere("c")::unlock).value();
        env.advance(seconds(5));
        waiting.value();
        assertThat(one.protocol().calls(Verb.TAKE_TOGETHER)).isGreaterThan(1);
        ann.does(lock::unlock).value();
    }

    @Test
    void aTryForANameThatIsHeldHereAsksForNone() {
        one.protocol().joint = true;
        bob.does(one.engine().getLock("c")::lock).value();
        int before = one.protocol().allCalls();
        assertThat(ann.asks(lock::tryLock).value()).isFalse();
        assertThat(one.protocol().allCalls()).isEqualTo(before);
        bob.does(one.engine().getLock("c")::unlock).value();
    }

    @Test
    void anErrorInTheReleaseOfOneNameGivesTheOthersBackAllTheSame() {
        ann.does(lock::lock).value();
        one.protocol().next(Verb.RELEASE, RequestFault.exception());
        assertThat(ann.does(lock::unlock).failure()).hasMessage("planted");
        env.advance(seconds(5));
        assertAllFree();
    }

    @Test
    void aFactoryThatIsClosedWhileAllNamesAreAskedForLeavesNone() {
        Jvm closing = jvm();
        closing.protocol().joint = true;
        closing.protocol().next(Verb.TAKE_TOGETHER, RequestFault.slowReply(millis(500)));
        Person.Call<Void> asking = ann.does(closing.engine().getLock(NAMES)::lock);
        Person.Call<Void> close = bob.does(closing.engine()::close);
        env.advance(seconds(3));
        close.value();
        assertThat(asking.failure()).isInstanceOf(IllegalStateException.class);
        assertAllFree();
    }

    @Test
    void ensureValidIsForAllNamesThoughEachTakesItsTime() {
        ann.does(lock::lock).value();
        one.protocol().always(Verb.RENEW, RequestFault.slowReply(seconds(1)));
        Person.Call<Void> call = ann.does(() -> lock.lease().orElseThrow().ensureValid(LEASE.multipliedBy(2)));
        env.advance(seconds(20));
        assertThat(call.failure()).isInstanceOf(LockBackendException.class);
        one.protocol().heal();
        ann.does(() -> lock.lease().orElseThrow().ensureValid(LEASE.multipliedBy(2)))
                .value();
        assertThat(ann.asks(() -> lock.lease().orElseThrow().remaining()).value())
                .isGreaterThanOrEqualTo(LEASE.multipliedBy(2));
        ann.does(lock::unlock).value();
    }

    @Test
    void listenersHearOfATryThatIsRefusedForAllNames() {
        List<String> requested = new CopyOnWriteArrayList<>();
        Jvm observed = jvm(config -> config.listener(new LockListener() {
            @Override
            public void requested(Requested event) {
                requested.add(event.lockName());
            }
        }));
        observed.protocol().joint = true;
        bob.does(elsewhere("c")::lock).value();
        assertThat(ann.asks(observed.engine().getLock(NAMES)::tryLock).value()).isFalse();
        env.advance(millis(100));
        assertThat(requested).containsExactlyElementsOf(NAMES);
        bob.does(elsewhere("c")::unlock).value();
    }

    @Test
    void aNameThatIsTakenAwayIsALossOfTheWholeThatTheNextRenewalFinds() {
        List<Object> told = new ArrayList<>();
        LockHandle handle = ann.asks(() -> lock.acquire()).value();
        handle.onLoss(told::add);
        server.steal("b", LEASE);
        env.advance(LEASE.dividedBy(2));
        assertThat(handle.isValid()).isFalse();
        assertThat(told).hasSize(1);
        assertThat(server.isFree("a")).isTrue();
        assertThat(server.isFree("c")).isTrue();
        assertThat(ann.does(handle::close).failure()).isInstanceOf(LeaseLostException.class);
        ann.does(handle::close).value();
        server.delete("b");
    }

    @Test
    void aNameThatIsFoundToBeLostAtTheReleaseIsALossOfTheWhole() {
        ann.does(lock::lock).value();
        server.delete("b");
        assertThat(ann.does(lock::unlock).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        assertAllFree();
    }

    @Test
    void aTimedCallEndsWithinOneTimeOutOfItsTimeThoughNobodyAnswers() {
        ann.does(lock::lock).value();
        ann.does(lock::unlock).value();
        bob.does(elsewhere("c")::lock).value();
        Person.Call<Boolean> timed = ann.asks(() -> lock.tryLock(5, TimeUnit.SECONDS));
        one.protocol().always(Verb.RELEASE, RequestFault.lostRequest().before(seconds(2)));
        env.advance(seconds(5).plusMillis(2_100));
        assertThat(timed.isDone()).isTrue();
        one.protocol().heal();
        env.advance(seconds(5));
        assertThat(server.isFree("a")).isTrue();
        bob.does(elsewhere("c")::unlock).value();
    }

    @Test
    void theLockShowsItsNamesAndHowOftenTheThreadHoldsIt() {
        assertThat(lock.toString()).isEqualTo("DistributedLock[a, b, c]");
        ann.does(lock::lock).value();
        assertThat(ann.asks(lock::toString).value()).isEqualTo("DistributedLock[a, b, c], held 1 times by this thread");
        ann.does(lock::unlock).value();
    }
}
