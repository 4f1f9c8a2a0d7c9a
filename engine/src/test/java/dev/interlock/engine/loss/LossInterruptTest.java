// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * When and where a holder is interrupted because it lost the lock, if its thread class has an {@code interrupt()} of
 * its own.
 */
class LossInterruptTest extends EngineTest {
    private final LockOptions loud = LockOptions.builder()
            .lease(seconds(10))
            .renewal(false)
            .interruptOnLoss(true)
            .build();
    private final Jvm one = jvm();
    private final DistributedLock lock = one.lock(loud);

    /** The threads that interrupted somebody. */
    private final List<String> interrupters = new ArrayList<>();

    /** A thread that takes its time to be interrupted. */
    private final class SlowThread extends Thread {
        private final Duration time;

        SlowThread(Runnable task, String name, Duration time) {
            super(task, name);
            this.time = time;
        }

        @Override
        public void interrupt() {
            // The environment sets the status again on the thread itself.
            if (Thread.currentThread() != this) {
                interrupters.add(Thread.currentThread().getName());
                pause(time);
            }
            super.interrupt();
        }
    }

    private Person slow(Duration time) {
        return env.person("dora", (task, name) -> new SlowThread(task, name, time));
    }

    private void pause(Duration time) {
        long until = env.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - env.nanoTime()) {
            env.park(this, left);
        }
    }

    @Test
    void anInterruptThatWaitsForItsTurnDoesNotComeAfterUnlockHasTold() {
        Person dora = slow(Duration.ZERO);
        DistributedLock other = one.engine().getLock("other", loud);
        bob.asks(other::acquire).value().onLoss(cause -> pause(seconds(60)));
        env.advance(seconds(1));
        dora.does(lock::lock).value();
        env.advance(seconds(20));
        Call<Void> unlock = dora.does(lock::unlock);
        assertThat(unlock.failure()).isInstanceOf(LeaseLostException.class);
        assertThat(unlock.interruptedAfter()).isFalse();
        env.advance(seconds(100));
        assertThat(interrupters).isEmpty();
        assertThat(dora.does(() -> {}).interruptedAfter()).isFalse();
    }

    @Test
    void unlockDoesNotReturnBetweenTheBeginningAndTheEndOfAnInterrupt() {
        Person dora = slow(millis(100));
        dora.does(lock::lock).value();
        env.advance(seconds(10).plusMillis(50));
        assertThat(interrupters).hasSize(1);
        Call<Void> unlock = dora.does(lock::unlock);
        assertThat(unlock.isDone()).isFalse();
        env.advance(millis(50));
        assertThat(unlock.failure()).isInstanceOf(LeaseLostException.class);
        assertThat(unlock.interruptedAfter()).isTrue();
        assertThat(dora.does(() -> {}).interruptedAfter()).isFalse();
    }

    @Test
    void anInterruptThatBlocksHoldsUpNoOtherLock() {
        Person dora = slow(seconds(300));
        dora.does(lock::lock).value();
        DistributedLock renewed = one.engine().getLock("renewed");
        DistributedLock ending = one.engine().getLock("ending", loud);
        ann.does(renewed::lock).value();
        env.advance(seconds(1));
        bob.does(ending::lock).value();
        Call<Void> next = cleo.does(lock::lock);
        env.advance(seconds(60));
        assertThat(interrupters).singleElement().asString().endsWith("-notice");
        next.value();
        assertThat(ann.asks(renewed::isHeldByCurrentThread).value()).isTrue();
        Call<Void> late = bob.does(ending::unlock);
        assertThat(late.failure()).isInstanceOf(LeaseLostException.class);
        assertThat(late.interruptedAfter())
                .as("it was interrupted when its lease ended")
                .isTrue();
        ann.does(renewed::unlock).value();
        cleo.does(lock::unlock);
        env.advance(seconds(300));
        dora.does(lock::unlock).failure();
    }
}
