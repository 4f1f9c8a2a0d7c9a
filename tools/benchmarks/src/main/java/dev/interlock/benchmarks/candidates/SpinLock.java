// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock that a user writes over a bare client: {@code SET NX PX}, again after a short pause, and an owner-checked
 * delete.
 */
final class SpinLock implements Lock {
    /** Deletes a key that has a value. */
    static final String DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Commands commands;
    private final String key;
    private final long leaseMillis;

    /** The token of the holder, used by the holder alone. */
    private volatile String token = "";

    /** The commands that a client must have. */
    interface Commands {
        /** Sets a key that is not there, and returns whether it was not. */
        boolean setIfAbsent(String key, String token, long leaseMillis);

        /** Deletes a key that has this value. */
        void deleteIfEqual(String key, String token);
    }

    SpinLock(Commands commands, String key, Duration lease) {
        this.commands = commands;
        this.key = key;
        this.leaseMillis = lease.toMillis();
    }

    @Override
    public void lock() {
        long pause = FIRST_PAUSE_NANOS;
        while (!tryLock()) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause / 2, pause));
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
    }

    @Override
    public void lockInterruptibly() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock() {
        String mine = UUID.randomUUID().toString();
        boolean locked = commands.setIfAbsent(key, mine, leaseMillis);
        if (locked) {
            token = mine;
        }
        return locked;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unlock() {
        commands.deleteIfEqual(key, token);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException();
    }
}
