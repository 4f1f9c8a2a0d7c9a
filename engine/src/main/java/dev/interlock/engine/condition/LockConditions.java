// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.engine.backend.LockNames;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.threads.Wait;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The conditions of the locks of one factory, and the threads that wait for them. Safe to use from any thread. */
public final class LockConditions {
    /**
     * How long a waiter that hears nothing waits at most before it asks where it stands, which also finds the signals
     * of waiters that are gone. Spread over the second half, so that waiters do not ask together.
     */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** After a failure waiters ask sooner, since they hear nothing. */
    private static final long LOOK_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment env;
    private final @Nullable ConditionProtocol protocol;
    private final String strategy;
    private final BooleanSupplier open;
    private final Set<ConditionWait> waiting = ConcurrentHashMap.newKeySet();

    /**
     * @param protocol how conditions are kept, or {@code null} if locks of this strategy have none
     * @param open whether the factory is open
     */
    public LockConditions(
            Environment env, String strategy, @Nullable ConditionProtocol protocol, BooleanSupplier open) {
        this.env = env;
        this.strategy = strategy;
        this.protocol = protocol;
        this.open = open;
    }

    /**
     * Returns the next numbered condition of a lock object.
     *
     * @param nextNumber counts the conditions of the lock object
     */
    public Condition numbered(MonitorLock lock, IntSupplier nextNumber) {
        protocol();
        return new EngineCondition(this, lock, Integer.toString(nextNumber.getAsInt()));
    }

    /** Returns the condition of a name. */
    public Condition named(MonitorLock lock, String name) {
        protocol();
        LockNames.checkCondition(name);
        // The colon tells it from the numbered conditions.
        return new EngineCondition(this, lock, ":" + name);
    }

    Environment environment() {
        return env;
    }

    ConditionProtocol protocol() {
        if (protocol == null) {
            throw new UnsupportedOperationException("locks of strategy \"" + strategy
                    + "\" have no conditions as they are configured: use a strategy whose profile declares CONDITIONS,"
                    + " such as set-nx-px with its default wakeup=queue. docs/conditions.md says why others have none");
        }
        return protocol;
    }

    /** Returns how conditions are kept, or {@code null} if locks of this strategy have none. */
    public @Nullable ConditionProtocol protocolIfAny() {
        return protocol;
    }

    boolean isOpen() {
        return open.getAsBoolean();
    }

    void requireOpen(String lockName) {
        if (!open.getAsBoolean()) {
            throw new IllegalStateException(
                    "the lock factory was closed while a thread waited for a condition of lock \"" + lockName + "\"");
        }
    }

    long untilLook(boolean failed) {
        long longest = failed ? LOOK_AFTER_FAILURE_NANOS : LOOK_NANOS;
        return longest - env.nextLong(longest / 2);
    }

    /** Makes the current thread wait for a condition; returns {@code false} if the time ended the wait. */
    boolean await(EngineCondition condition, Wait wait) throws InterruptedException {
        wait.begin();
        try {
            ConditionWait one = new ConditionWait(this, condition, wait);
            waiting.add(one);
            try {
                return one.await();
            } finally {
                waiting.remove(one);
            }
        } finally {
            wait.end();
        }
    }

    /** Wakes all who wait, since the factory is closed. */
    public void wakeAll() {
        waiting.forEach(ConditionWait::wake);
    }
}
