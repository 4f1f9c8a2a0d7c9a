// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A lock of ShedLock, which never waits, so that whoever wants it asks again. */
final class ShedLockPeer implements Peer {
    static final String PREFIX = "job-lock:jobs:";

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final LettuceConnectionFactory connections;
    private final RedisLockProvider provider;
    private final String name;
    private @Nullable SimpleLock held;

    ShedLockPeer(int port, String name) {
        connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.start();
        provider = new RedisLockProvider.Builder(connections)
                .environment("jobs")
                .safeUpdate(true)
                .build();
        this.name = name;
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        long until = System.nanoTime() + wait.toNanos();
        while (true) {
            Optional<SimpleLock> lock = provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO));
            if (lock.isPresent()) {
                held = lock.get();
                return true;
            }
            if (System.nanoTime() - until >= 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    @Override
    public void lock(Duration lease) {
        throw new UnsupportedOperationException("ShedLock never waits");
    }

    /** ShedLock does not tell whether the lock was held. */
    @Override
    public boolean release() {
        Objects.requireNonNull(held).unlock();
        return true;
    }

    @Override
    public boolean extend(Duration lease) {
        try {
            Optional<SimpleLock> extended = Objects.requireNonNull(held).extend(lease, Duration.ZERO);
            extended.ifPresent(lock -> held = lock);
            return extended.isPresent();
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
