// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** A lock of Spring Integration's registry. Its holder is a thread, the one that uses this. */
public final class SpringPeer implements Peer {
    public static final String REGISTRY = "registry";

    private final LettuceConnectionFactory connections;
    private final RedisLockType type;
    private final String name;
    private @Nullable RedisLockRegistry registry;
    private @Nullable Duration leaseOfRegistry;
    private @Nullable Lock held;

    public SpringPeer(int port, RedisLockType type, String name) {
        connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.start();
        this.type = type;
        this.name = name;
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        Lock lock = registry(lease).obtain(name);
        try {
            if (!(wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS))) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        held = lock;
        return true;
    }

    @Override
    public void lock(Duration lease) {
        held = registry(lease).obtain(name);
        held.lock();
    }

    /** A registry has one lease for all its locks. */
    private RedisLockRegistry registry(Duration lease) {
        if (registry == null || !lease.equals(leaseOfRegistry)) {
            close(registry);
            registry = new RedisLockRegistry(connections, REGISTRY, lease.toMillis());
            registry.setRedisLockType(type);
            leaseOfRegistry = lease;
        }
        return registry;
    }

    private static void close(@Nullable RedisLockRegistry registry) {
        if (registry != null) {
            registry.destroy();
        }
    }

    @Override
    public boolean release() {
        try {
            Objects.requireNonNull(held).unlock();
            return true;
        } catch (ConcurrentModificationException e) {
            return false;
        }
    }

    @Override
    public boolean extend(Duration lease) {
        try {
            Objects.requireNonNull(registry).renewLock(name, lease);
            return true;
        } catch (IllegalStateException | ConcurrentModificationException e) {
            return false;
        }
    }

    @Override
    public void close() {
        close(registry);
        connections.destroy();
    }
}
