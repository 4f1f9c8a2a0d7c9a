// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Wait;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A condition of a lock; all state is the backend's. Safe to use from any thread. */
final class EngineCondition implements Condition {
    private final LockConditions conditions;
    private final MonitorLock lock;
    private final String id;

    EngineCondition(LockConditions conditions, MonitorLock lock, String id) {
        this.conditions = conditions;
        this.lock = lock;
        this.id = id;
    }

    MonitorLock lock() {
        return lock;
    }

    /** Makes the claim by which the current thread waits. */
    Claim newWaiter() {
        return lock.newWaiter(id);
    }

    private Environment env() {
        return conditions.environment();
    }

    @Override
    public void await() throws InterruptedException {
        conditions.await(this, Wait.interruptibly(env()));
    }

    @Override
    public void awaitUninterruptibly() {
        try {
            conditions.await(this, Wait.uninterruptibly(env()));
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        long sinceNanos = env().nanoTime();
        boolean inTime = conditions.await(this, Wait.atMost(env(), nanosTimeout));
        long leftNanos = nanosTimeout - (env().nanoTime() - sinceNanos);
        return inTime ? leftNanos : Math.min(leftNanos, 0);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return conditions.await(this, Wait.atMost(env(), unit.toNanos(time)));
    }

    @Override
    @SuppressWarnings("JavaUtilDate") // The type is that of Condition.
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        // A date too far away for the clock means no time limit: toNanos returns its maximum. A date long past must not
        // overflow.
        long now = env().currentTimeMillis();
        long millis = Math.max(deadline.getTime(), now) - now;
        return conditions.await(this, Wait.atMost(env(), TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    @Override
    public void signal() {
        signal(false);
    }

    @Override
    public void signalAll() {
        signal(true);
    }

    private void signal(boolean all) {
        lock.asHolder(held -> conditions.protocol().signal(held, id, all));
    }

    /** Shows the lock and which of its conditions this is. */
    @Override
    public String toString() {
        return "Condition[" + (id.startsWith(":") ? id.substring(1) : "number " + id) + " of " + lock.name() + "]";
    }
}
