// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import dev.interlock.DistributedLock;
import java.net.URI;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Items in a list in Redis, which refuses each write whose fencing token is smaller than one that it has seen. It also
 * keeps what is in whose hands, and what is done, so that a test can count.
 */
final class SharedItems implements Items {
    /** Compares the token, as each write does first. */
    private static final String GUARD = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', 'fence') or '0') then
              return redis.error_reply('LATE the lock is in other hands')
            end
            redis.call('SET', 'fence', ARGV[1])
            """;

    private static final String ADD = GUARD + """
            redis.call('RPUSH', 'items', ARGV[2])
            return redis.call('HINCRBY', 'produced', string.match(ARGV[2], '^(%d+):'), 1)
            """;

    private static final String REMOVE = GUARD + """
            local item = redis.call('LPOP', 'items')
            redis.call('HSET', 'hands', item, ARGV[2])
            return item
            """;

    /** Notes that an item is done; counts those that are done twice. */
    private static final String DONE = """
            redis.call('HDEL', 'hands', ARGV[1])
            local producer, number = string.match(ARGV[1], '^(%d+):(%d+)$')
            if redis.call('SETBIT', 'done:' .. producer, number, 1) == 1 then
              redis.call('INCR', 'twice')
            end
            return 1
            """;

    private final RedisClient redis;
    private final DistributedLock lock;
    private final int capacity;
    private final String owner;

    SharedItems(RedisClient redis, DistributedLock lock, int capacity, String owner) {
        this.redis = redis;
        this.lock = lock;
        this.capacity = capacity;
        this.owner = owner;
    }

    /** A client that waits longer for an answer than any machine takes. */
    static RedisClient connect(String uri) {
        URI server = URI.create(uri);
        return RedisClient.builder()
                .hostAndPort(server.getHost(), server.getPort())
                .clientConfig(
                        DefaultJedisClientConfig.builder().timeoutMillis(60_000).build())
                .build();
    }

    /** The lock was lost before the items were changed, which are as before. */
    static final class LateException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LateException(String message) {
            super(message);
        }
    }

    private Object eval(String script, List<String> keys, String argument) {
        long token = lock.lease()
                .orElseThrow(() -> new LateException("the lock is lost"))
                .fencingToken()
                .orElseThrow();
        try {
            return redis.eval(script, keys, List.of(Long.toString(token), argument));
        } catch (JedisDataException e) {
            if (String.valueOf(e.getMessage()).startsWith("LATE")) {
                throw new LateException(e.getMessage());
            }
            throw e;
        }
    }

    @Override
    public boolean isFull() {
        return redis.llen("items") >= capacity;
    }

    @Override
    public boolean isEmpty() {
        return redis.llen("items") == 0;
    }

    @Override
    public void add(String item) {
        eval(ADD, List.of("fence", "items", "produced"), item);
    }

    @Override
    public String remove() {
        return (String) eval(REMOVE, List.of("fence", "items", "hands"), owner);
    }

    /** Notes that an item that was taken is done. Needs no lock. */
    void done(String item) {
        redis.eval(DONE, List.of("hands"), List.of(item));
    }

    /** The items that were taken by this process and are not done. */
    List<String> inOwnHands() {
        return redis.hgetAll("hands").entrySet().stream()
                .filter(hand -> hand.getValue().equals(owner))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** How many items a producer has added, in whatever processes. */
    long produced(int producer) {
        String produced = redis.hget("produced", Integer.toString(producer));
        return produced == null ? 0 : Long.parseLong(produced);
    }

    /** How many items of a producer are done. */
    long done(int producer) {
        return redis.bitcount("done:" + producer);
    }

    /** How often an item was done that was done already. */
    long twice() {
        String twice = redis.get("twice");
        return twice == null ? 0 : Long.parseLong(twice);
    }

    /** How many items were taken and are not done, by who took them. */
    List<String> owners() {
        return redis.hvals("hands");
    }
}
