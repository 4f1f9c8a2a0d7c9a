// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.SetNxPxLocks;
import java.time.Duration;
import java.util.Arrays;

/**
 * Locks once, and says so. Its arguments are a strategy, or {@link #BUILDER} for a factory over a client, its
 * endpoints, and options as {@code name=value}.
 */
final class OlderClientsMain {
    static final String BUILDER = "builder";
    static final String LOCKED = "locked";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private OlderClientsMain() {}

    public static void main(String[] args) {
        String said;
        try {
            if (!args[0].equals(BUILDER)) {
                lock(byName(args));
            } else if (args[2].equals("client=jedis")) {
                overJedis(args[1]);
            } else {
                overLettuce(args[1]);
            }
            said = LOCKED;
        } catch (RuntimeException | LinkageError e) {
            said = e.toString();
        }
        System.out.println(said);
    }

    private static DistributedLockFactory byName(String[] args) {
        LockConfig.Builder config = LockConfig.builder().endpoints(args[1]).commandTimeout(PATIENCE);
        Arrays.stream(args).skip(2).map(option -> option.split("=")).forEach(it -> config.option(it[0], it[1]));
        return DistributedLocks.getInstance(args[0], config.build());
    }

    /** The client of Jedis before there was a {@code RedisClient}. */
    @SuppressWarnings("deprecation")
    private static void overJedis(String uri) {
        try (redis.clients.jedis.JedisPooled client = new redis.clients.jedis.JedisPooled(uri)) {
            lock(builder().jedis((redis.clients.jedis.UnifiedJedis) client).build());
        }
    }

    private static void overLettuce(String uri) {
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create();
        try {
            lock(builder().lettuce(client, io.lettuce.core.RedisURI.create(uri)).build());
        } finally {
            client.shutdown();
        }
    }

    private static SetNxPxLocks builder() {
        return SetNxPxLocks.builder()
                .config(LockConfig.builder().commandTimeout(PATIENCE).build());
    }

    private static void lock(DistributedLockFactory factory) {
        try (factory) {
            DistributedLock lock = factory.getLock("older clients");
            lock.lock();
            lock.unlock();
        }
    }
}
