// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * A lock as people write it by hand over Jedis: {@code SET NX PX} of a UUID, asked again after a pause, and a script
 * that compares.
 */
final class HomeMadePeer implements Peer {
    static final String PREFIX = "lock:";

    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final String RELEASE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private static final String EXTEND =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

    private final RedisClient redis;
    private final String key;
    private @Nullable String held;

    HomeMadePeer(int port, String name) {
        redis = RedisClient.create("127.0.0.1", port);
        key = PREFIX + name;
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        String value = UUID.randomUUID().toString();
        SetParams ifFree = SetParams.setParams().nx().px(lease.toMillis());
        long until = System.nanoTime() + wait.toNanos();
        while (redis.set(key, value, ifFree) == null) {
            if (System.nanoTime() - until >= 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        held = value;
        return true;
    }

    @Override
    public void lock(Duration lease) {
        acquire(lease, Duration.ofDays(1));
    }

    @Override
    public boolean release() {
        return isDone(redis.eval(RELEASE, List.of(key), List.of(Objects.requireNonNull(held))));
    }

    @Override
    public boolean extend(Duration lease) {
        List<String> arguments = List.of(Objects.requireNonNull(held), Long.toString(lease.toMillis()));
        return isDone(redis.eval(EXTEND, List.of(key), arguments));
    }

    private static boolean isDone(Object reply) {
        return Long.valueOf(1).equals(reply);
    }

    @Override
    public void close() {
        redis.close();
    }
}
