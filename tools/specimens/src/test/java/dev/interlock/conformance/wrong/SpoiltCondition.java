// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.specimens.ForwardingLock;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A condition that passes all calls on; subclasses break a part. Each kind of wait goes through {@link
 * #await(Waiting)}.
 */
class SpoiltCondition implements Condition {
    final DistributedLock lock;
    final Condition correct;

    /** One of the methods that wait. */
    interface Waiting {
        /**
         * Waits. Returns the nanoseconds that are left or, if the method returns only whether time is left, one or
         * zero.
         */
        long run() throws InterruptedException;
    }

    SpoiltCondition(DistributedLock lock, Condition correct) {
        this.lock = lock;
        this.correct = correct;
    }

    /** Makes all conditions of a lock wrong. */
    static UnaryOperator<DistributedLock> of(BiFunction<DistributedLock, Condition, Condition> spoiler) {
        return lock -> new ForwardingLock(lock) {
            @Override
            public Condition newCondition() {
                return spoiler.apply(correct, super.newCondition());
            }

            @Override
            public Condition condition(String name) {
                return spoiler.apply(correct, super.condition(name));
            }
        };
    }

    long await(Waiting waiting) throws InterruptedException {
        return waiting.run();
    }

    @Override
    public void await() throws InterruptedException {
        await(() -> {
            correct.await();
            return 1;
        });
    }

    @Override
    public void awaitUninterruptibly() {
        try {
            await(() -> {
                correct.awaitUninterruptibly();
                return 1;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        return await(() -> correct.awaitNanos(nanosTimeout));
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return await(() -> correct.await(time, unit) ? 1 : 0) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        return await(() -> correct.awaitUntil(deadline) ? 1 : 0) > 0;
    }

    @Override
    public void signal() {
        correct.signal();
    }

    @Override
    public void signalAll() {
        correct.signalAll();
    }
}
