// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A plain {@code RLock} of Redisson. Its holder is a thread, the one that uses this. */
final class RedissonPeer implements Peer {
    private final RedissonClient client;
    private final RLock lock;

    RedissonPeer(int port, String name) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        client = Redisson.create(config);
        lock = client.getLock(name);
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        try {
            return lock.tryLock(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void lock(Duration lease) {
        lock.lock(lease.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean release() {
        try {
            lock.unlock();
            return true;
        } catch (IllegalMonitorStateException e) {
            return false;
        }
    }

    @Override
    public boolean extend(Duration lease) {
        throw new UnsupportedOperationException("RLock has no call for it");
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
