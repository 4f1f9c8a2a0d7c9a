// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.scripts.Script;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Caches the number of replicas of each server. Safe to use from any thread. */
final class ReplicaCounts {
    private static final Script REPLICAS = Script.load("replicas.lua");

    /**
     * The life of a count: new replicas are not announced, while missing ones are noticed by their missing
     * acknowledgement.
     */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ScriptSender scripts;
    private final RedissonKeys keys;
    private final RedissonShards shards;
    private final Environment env;
    private final Map<String, Count> counts = new ConcurrentHashMap<>();

    private record Count(int replicas, long asOfNanos) {}

    ReplicaCounts(ScriptSender scripts, RedissonKeys keys, RedissonShards shards, Environment env) {
        this.scripts = scripts;
        this.keys = keys;
        this.shards = shards;
        this.env = env;
    }

    /**
     * Returns how many replicas the server of a lock has.
     *
     * @throws dev.interlock.LockBackendException if the server does not answer in time
     */
    int of(String name, Duration timeout) {
        String part = shards.part(name);
        Count known = counts.get(part);
        if (known != null && env.nanoTime() - known.asOfNanos < FRESH_NANOS) {
            return known.replicas;
        }
        long now = env.nanoTime();
        int replicas = Math.toIntExact(
                scripts.call(REPLICAS, keys.plainName(name), List.of(keys.lock(name)), List.of(), timeout)
                        .get(0));
        counts.put(part, new Count(replicas, now));
        return replicas;
    }

    /** Discards the count of a lock's server, so that it is asked again. */
    void forget(String name) {
        counts.remove(shards.part(name));
    }
}
