// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/** A candidate for leadership, elected by Spring Integration over a lock registry. */
final class LeaderCandidate implements AutoCloseable {
    final AtomicInteger granted = new AtomicInteger();
    final AtomicInteger revoked = new AtomicInteger();
    private final LockRegistryLeaderInitiator initiator;
    /** When the last heart beat began that was answered by {@code true}. */
    private volatile long heldNanos;

    LeaderCandidate(LockRegistry<?> registry, String role, Duration heartBeat) {
        this(registry, role, heartBeat, leading -> {});
    }

    /** Called when a contender begins or ceases to lead. */
    interface Told {
        void leads(boolean leads);
    }

    LeaderCandidate(LockRegistry<?> registry, String role, Duration heartBeat, Told told) {
        initiator = new LockRegistryLeaderInitiator(
                key -> beating(registry.obtain(key)), new DefaultCandidate("contender", role) {
                    @Override
                    public void onGranted(Context context) {
                        granted.incrementAndGet();
                        told.leads(true);
                    }

                    @Override
                    public void onRevoked(Context context) {
                        revoked.incrementAndGet();
                        told.leads(false);
                    }
                });
        initiator.setHeartBeatMillis(heartBeat.toMillis());
        initiator.setBusyWaitMillis(10);
        initiator.start();
    }

    private Lock beating(Lock lock) {
        return (Lock) Proxy.newProxyInstance(
                Lock.class.getClassLoader(), new Class<?>[] {Lock.class}, (proxy, method, args) -> {
                    long begun = System.nanoTime();
                    try {
                        Object answer = method.invoke(lock, args);
                        if (Boolean.TRUE.equals(answer)) {
                            heldNanos = begun;
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    boolean isLeader() {
        return initiator.getContext().isLeader();
    }

    /** Gives leadership up. */
    void stepDown() {
        initiator.getContext().yield();
    }

    /** Returns whether something was true while this contender led all the time. */
    boolean leadsWhile(BooleanSupplier thing) {
        int before = revoked.get();
        // A contender that stopped leading and leads again was revoked in between.
        return isLeader() && thing.getAsBoolean() && isLeader() && revoked.get() == before;
    }

    /**
     * Returns whether something was true while this contender led all the time, and its last heart beat began less than
     * the given time ago.
     */
    boolean leadsWhile(Duration sinceBeat, BooleanSupplier thing) {
        return leadsWhile(thing) && System.nanoTime() - heldNanos < sinceBeat.toNanos();
    }

    @Override
    public void close() {
        initiator.destroy();
    }
}
