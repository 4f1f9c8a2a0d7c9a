// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A failure in one place does not spread, and every wait is bounded as promised. */
class ResilienceTest extends EngineTest {
    @Test
    void interruptedThreadsOfTheEngineGoOnAndDoNotSpin() {
        Jvm jvm = jvm();
        ann.does(jvm.lock()::lock).value();
        env.advance(seconds(11));
        env.interrupt("-timer");
        env.interrupt("-renewal");
        env.advance(seconds(60));
        assertThat(jvm.protocol().calls(Verb.RENEW)).isGreaterThan(5);
        assertThat(ann.asks(jvm.lock()::isHeldByCurrentThread).value()).isTrue();
        ann.does(jvm.lock()::unlock).value();
    }

    @Test
    void aRenewalThatStallsDoesNotDelayThatOfAnotherLock() {
        Jvm jvm = jvm();
        LockOptions options = lease(millis(1_800));
        DistributedLock healthy = jvm.engine().getLock("healthy", options);
        ann.does(jvm.lock(options)::lock).value();
        env.advance(millis(200));
        bob.does(healthy::lock).value();
        jvm.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(3)));
        env.advance(millis(2_500));
        assertThat(bob.asks(healthy::isHeldByCurrentThread).value()).isTrue();
        bob.does(healthy::unlock).value();
        env.advance(seconds(3));
        assertThat(ann.does(jvm.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void closeIsBoundedByThreeCommandTimeoutsHoweverManyLocksAreHeld() {
        Jvm jvm = jvm(config -> config.commandTimeout(millis(500)));
        ann.does(() -> {
                    for (int i = 0; i < 200; i++) {
                        jvm.engine().getLock("lock " + i).lock();
                    }
                })
                .value();
        jvm.protocol().checksClosed = false;
        jvm.protocol().always(Verb.RELEASE, RequestFault.slowReply(millis(250)));
        Call<Void> close = cleo.does(jvm.engine()::close);
        env.advance(millis(1_500));
        close.value();
        jvm.protocol().heal();
        env.advance(seconds(60));
    }

    @Test
    void aWaiterWithALeaseShorterThanTheCeilingRidesOutOneLostRequest() {
        Jvm jvm = jvm();
        Jvm other = jvm();
        other.protocol().listens = false;
        jvm.protocol().listens = false;
        ann.does(other.lock()::lock).value();
        Call<Void> waiter = bob.does(jvm.lock(lease(millis(500)))::lock);
        env.advance(seconds(5));
        jvm.protocol().next(Verb.ATTEMPT, RequestFault.lostRequest());
        env.advance(seconds(2));
        assertThat(waiter.isDone()).isFalse();
        ann.does(other.lock()::unlock).value();
        env.advance(seconds(2));
        waiter.value();
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aTimedWaitEndsOneCommandTimeoutAfterItsTimeThoughItHasAPlaceToGiveUp() {
        Jvm jvm = jvm();
        Jvm other = jvm();
        jvm.protocol().queues = true;
        ann.does(other.lock()::lock).value();
        jvm.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(1_900)));
        jvm.protocol().next(Verb.RELEASE, RequestFault.slowReply(millis(1_900)));
        Call<Boolean> call = bob.asks(() -> jvm.lock().tryLock(100, TimeUnit.MILLISECONDS));
        env.advance(millis(2_100));
        assertThat(call.value()).isFalse();
        env.advance(seconds(3));
        assertThat(server.places()).isZero();
        ann.does(other.lock()::unlock).value();
    }

    @Test
    void aStrategyThatFailsToShowTheHoldsFailsNoAcquisition() {
        Jvm jvm = jvm();
        jvm.protocol().failsToShowHolds = true;
        ann.does(jvm.lock()::lock).value();
        ann.does(jvm.lock()::lock).value();
        assertThat(ann.asks(jvm.lock()::getHoldCount).value()).isEqualTo(2);
        ann.does(jvm.lock()::unlock).value();
        ann.does(jvm.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aLossForWhichNoThreadCanBeStartedLetsTheNextInAndIsToldLater() {
        Jvm jvm = jvm();
        List<LossCause> causes = new ArrayList<>();
        ann.does(jvm.lock()::lock).value();
        ann.does(() -> jvm.lock().lease().orElseThrow().onLoss(causes::add)).value();
        Call<Void> next = bob.does(jvm.lock()::lock);
        env.refuseThread("-notice");
        server.delete(NAME);
        env.advance(seconds(11));
        next.value();
        assertThat(causes).isEmpty();
        bob.does(() -> jvm.lock().lease().orElseThrow().onLoss(cause -> {})).value();
        server.delete(NAME);
        env.advance(seconds(11));
        assertThat(causes).containsExactly(LossCause.GONE);
        ann.does(jvm.lock()::unlock).failure();
        bob.does(jvm.lock()::unlock).failure();
    }

    @Test
    void aRenewalForWhichNoThreadCanBeStartedIsSentAllTheSame() {
        Jvm jvm = jvm();
        env.refuseThread("-renewal");
        ann.does(jvm.lock()::lock).value();
        env.advance(seconds(11));
        assertThat(jvm.protocol().calls(Verb.RENEW)).isEqualTo(1);
        env.advance(seconds(30));
        assertThat(ann.asks(jvm.lock()::isHeldByCurrentThread).value()).isTrue();
        ann.does(jvm.lock()::unlock).value();
    }

    @Test
    void aCloseForWhichNoThreadCanBeStartedReleasesAllTheSame() {
        Jvm jvm = jvm();
        ann.does(jvm.lock()::lock).value();
        env.refuseThread("-release");
        cleo.does(jvm.engine()::close).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aCloseForWhoseLossesNoThreadCanBeStartedLeavesNoLockBehind() {
        Jvm jvm = jvm();
        for (int i = 0; i < 5; i++) {
            DistributedLock lock = jvm.engine().getLock("lock " + i);
            ann.asks(lock::acquire).value().onLoss(cause -> {});
        }
        for (int i = 0; i < 5; i++) {
            env.refuseThread("-notice");
        }
        cleo.does(jvm.engine()::close).value();
        for (int i = 0; i < 5; i++) {
            assertThat(server.isFree("lock " + i)).isTrue();
        }
        assertThat(jvm.protocol().timesClosed()).isOne();
    }

    @Test
    void oneShortLeaseDoesNotMakeTheOthersRenewMoreOften() {
        Jvm jvm = jvm();
        ann.does(() -> {
                    for (int i = 0; i < 200; i++) {
                        jvm.engine().getLock("lock " + i, lease(millis(150))).lock();
                    }
                    jvm.engine().getLock("short", lease(millis(45))).lock();
                })
                .value();
        int before = jvm.protocol().renewed().size();
        env.advance(seconds(1));
        assertThat(jvm.protocol().renewed().size() - before).isBetween(4_000, 4_600);
        ann.does(() -> {
                    for (int i = 0; i < 200; i++) {
                        jvm.engine().getLock("lock " + i).unlock();
                    }
                    jvm.engine().getLock("short").unlock();
                })
                .value();
    }

    @Test
    void theNextThreadHereDoesNotHoldBackWhereNobodyElseWaits() {
        Jvm jvm = jvm(config -> config.localHandoffs(0));
        // Otherwise the beginning of listening ends the pause at once.
        jvm.protocol().confirmsListening = false;
        ann.does(jvm.lock()::lock).value();
        Call<Void> next = bob.does(jvm.lock()::lock);
        Duration before = env.elapsed();
        ann.does(jvm.lock()::unlock).value();
        next.value();
        assertThat(env.elapsed()).isEqualTo(before);
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aLossBeforeAHandedOverLockIsReturnedInterruptsNobody() {
        Jvm jvm = jvm();
        LockOptions loud =
                LockOptions.builder().lease(LEASE).interruptOnLoss(true).build();
        Person dora = env.person("dora");
        dora.does(jvm.lock(loud)::lock).value();
        ann.does(jvm.lock(loud)::lock);
        Call<Void> next = bob.does(jvm.lock(loud)::lockInterruptibly);
        dora.does(jvm.lock()::unlock).value();
        env.oversleep(bob, seconds(40));
        ann.does(jvm.lock()::unlock).value();
        server.delete(NAME);
        env.advance(seconds(60));
        next.value();
        assertThat(next.interruptedAfter()).isFalse();
        bob.does(jvm.lock()::unlock).value();
    }
}
