// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockHandle;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timed waits, and attempts that do not wait. */
class TimedWaitTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();

    @Test
    void tryLockAsksOnceAndDoesNotWait() {
        server.steal(NAME, LEASE);
        assertThat(ann.asks(one.lock()::tryLock).value()).isFalse();
        assertThat(one.protocol().allCalls()).isOne();
        assertThat(one.protocol().watches()).isZero();
        assertThat(env.elapsed()).isZero();
    }

    @Test
    void tryLockAsksNobodyIfAnotherThreadHereHoldsTheLock() {
        ann.does(one.lock()::lock).value();
        assertThat(bob.asks(one.lock()::tryLock).value()).isFalse();
        assertThat(one.protocol().allCalls()).isOne();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void tryLockAsksNobodyIfAnotherThreadHereContends() {
        server.steal(NAME, LEASE);
        Call<Void> waiting = ann.does(one.lock()::lock);
        int calls = one.protocol().allCalls();
        assertThat(bob.asks(one.lock()::tryLock).value()).isFalse();
        assertThat(bob.asks(() -> one.lock().tryLock(0, TimeUnit.SECONDS)).value())
                .isFalse();
        assertThat(bob.asks(() -> one.lock().tryAcquire(Duration.ZERO)).value()).isEmpty();
        assertThat(one.protocol().allCalls()).isEqualTo(calls);
        env.advance(seconds(32));
        waiting.value();
        ann.does(one.lock()::unlock).value();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aTimeOfZeroOrLessDoesNotWaitButAsksOnce(long time) {
        assertThat(ann.asks(() -> one.lock().tryLock(time, TimeUnit.DAYS)).value())
                .isTrue();
        assertThat(bob.asks(() -> two.lock().tryLock(time, TimeUnit.NANOSECONDS))
                        .value())
                .isFalse();
        assertThat(bob.asks(() -> two.lock().tryAcquire(Duration.ofSeconds(time)))
                        .value())
                .isEmpty();
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isEqualTo(2);
        assertThat(env.elapsed()).isZero();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aTimeThatCannotBeCountedHasNoEnd() {
        ann.does(one.lock()::lock).value();
        Call<Boolean> days = bob.asks(() -> one.lock().tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
        Call<Boolean> nanos = cleo.asks(() -> two.lock().tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
        Person dora = env.person("dora");
        Call<Optional<LockHandle>> handle = dora.asks(() -> two.lock().tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)));
        env.advance(Duration.ofHours(1));
        assertThat(days.isDone() || nanos.isDone() || handle.isDone()).isFalse();
        ann.does(one.lock()::unlock).value();
        env.advance(seconds(1));
        assertThat(nanos.value()).isTrue();
        cleo.does(two.lock()::unlock).value();
        env.advance(seconds(2));
        if (handle.isDone()) {
            dora.does(() -> handle.value().orElseThrow().close()).value();
            env.advance(seconds(2));
        }
        assertThat(days.value()).isTrue();
        bob.does(one.lock()::unlock).value();
        env.advance(seconds(2));
        dora.does(() -> handle.value().orElseThrow().close()).value();
    }

    @Test
    void aTimedWaitEndsAtItsTimeAndNotBefore() {
        server.steal(NAME, LEASE);
        Call<Boolean> call = ann.asks(() -> one.lock().tryLock(2500, TimeUnit.MILLISECONDS));
        env.advance(millis(2500).minusNanos(1));
        assertThat(call.isDone()).isFalse();
        env.advance(Duration.ofNanos(1));
        assertThat(call.value()).isFalse();
        assertThat(server.listeners()).isZero();
    }

    @Test
    void aTimedWaitInTheLocalQueueEndsAtItsTimeAndNotBefore() {
        ann.does(one.lock()::lock).value();
        Call<Boolean> call = bob.asks(() -> one.lock().tryLock(2500, TimeUnit.MILLISECONDS));
        Call<Void> next = cleo.does(one.lock()::lock);
        env.advance(millis(2500).minusNanos(1));
        assertThat(call.isDone()).isFalse();
        env.advance(Duration.ofNanos(1));
        assertThat(call.value()).isFalse();
        ann.does(one.lock()::unlock).value();
        next.value();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void oneDeadlineCoversTheQueueAndTheBackend() {
        Jvm jvm = jvm(config -> config.localHandoffs(0));
        ann.does(jvm.lock()::lock).value();
        Call<Boolean> call = bob.asks(() -> jvm.lock().tryLock(10, TimeUnit.SECONDS));
        env.advance(seconds(6));
        jvm.protocol().next(Verb.RELEASE, RequestFault.none());
        ann.does(() -> {
                    jvm.lock().unlock();
                    server.steal(NAME, seconds(100));
                })
                .value();
        env.advance(seconds(4).minusNanos(1));
        assertThat(call.isDone()).isFalse();
        env.advance(Duration.ofNanos(1));
        assertThat(call.value()).isFalse();
        server.delete(NAME);
    }

    @Test
    void aTimedWaitSucceedsIfTheLockBecomesFreeInTime() {
        ann.does(one.lock()::lock).value();
        Call<Boolean> here = bob.asks(() -> one.lock().tryLock(5, TimeUnit.SECONDS));
        Call<Boolean> there = cleo.asks(() -> two.lock().tryLock(5, TimeUnit.SECONDS));
        env.advance(seconds(4));
        ann.does(one.lock()::unlock).value();
        env.advance(millis(10));
        assertThat(there.value()).isTrue();
        cleo.does(two.lock()::unlock).value();
        env.advance(millis(500));
        assertThat(here.value()).isTrue();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void aRequestThatIsOnItsWayAtTheEndIsWaitedForAndItsGrantCounts() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(seconds(1)));
        Call<Boolean> call = ann.asks(() -> one.lock().tryLock(100, TimeUnit.MILLISECONDS));
        env.advance(millis(999));
        assertThat(call.isDone()).isFalse();
        env.advance(millis(1));
        assertThat(call.value()).isTrue();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aTimedOutWaiterLeavesItsPlaceToTheNext() {
        DistributedLock lock = one.lock();
        server.steal(NAME, seconds(20));
        Call<Boolean> first = ann.asks(() -> lock.tryLock(1, TimeUnit.SECONDS));
        Call<Boolean> second = bob.asks(() -> lock.tryLock(2, TimeUnit.SECONDS));
        Call<Boolean> third = cleo.asks(() -> lock.tryLock(40, TimeUnit.SECONDS));
        env.advance(seconds(1));
        assertThat(first.value()).isFalse();
        env.advance(seconds(1));
        assertThat(second.value()).isFalse();
        env.advance(seconds(19));
        assertThat(third.value()).isTrue();
        cleo.does(lock::unlock).value();
    }

    @Test
    void steppingTheWallClockDoesNotChangeHowLongAWaitIs() {
        server.steal(NAME, LEASE);
        Call<Boolean> call = ann.asks(() -> one.lock().tryLock(5, TimeUnit.SECONDS));
        env.stepWall(Duration.ofHours(3));
        env.advance(seconds(4));
        env.stepWall(Duration.ofHours(-9));
        assertThat(call.isDone()).isFalse();
        env.advance(seconds(1));
        assertThat(call.value()).isFalse();
    }

    @Test
    void aThousandTimedOutWaitsLeaveNothingBehind() {
        server.steal(NAME, Duration.ofDays(300));
        Call<Void> call = ann.does(() -> {
            for (int i = 0; i < 1_000; i++) {
                assertThat(one.lock().tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
            }
        });
        env.advance(seconds(10));
        call.value();
        assertThat(one.engine().core().cells().size()).isZero();
        assertThat(server.listeners()).isZero();
        assertThat(env.threads()).singleElement().asString().endsWith("-timer");
    }

    @Test
    void aTimedWaitThatIsInterruptedWhileItsRequestWinsEndsOneCommandTimeoutAfterItsTime() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(1_900)));
        one.protocol().next(Verb.RELEASE, RequestFault.slowReply(millis(1_900)));
        Call<Boolean> call = bob.asks(() -> one.lock().tryLock(100, TimeUnit.MILLISECONDS));
        env.advance(millis(50));
        bob.interrupt();
        env.advance(millis(2_050));
        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        env.advance(seconds(3));
        assertThat(server.isFree(NAME)).isTrue();
    }
}
