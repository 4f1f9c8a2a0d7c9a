// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import dev.interlock.DistributedLock;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Items in a ring in Redis: slots, a head and a tail. A holder of the lock reads the head and the tail, and writes the
 * one that it moves. Each read and each write carries the fencing token of the hold, and Redis refuses it if it has
 * seen a greater one. Nothing else protects the ring: two holders at a time would take an item twice, or overwrite one.
 *
 * <p>Redis also keeps account of each item: added, taken, in whose hands, done.
 */
final class SharedItems implements Items {
    private static final String LATE = "LATE";

    /** Refuses a smaller token than the greatest that was seen. A holder's first read makes its token the greatest. */
    private static final String GUARD = """
            if tonumber(ARGV[1]) < tonumber(redis.call('HGET', 'ring', 'fence') or '0') then
              redis.call('HINCRBY', 'counts', 'refused %s', 1)
              return redis.error_reply('LATE the lock is in other hands')
            end
            redis.call('HSET', 'ring', 'fence', ARGV[1])
            """;

    /** Sets an item's bit in one of the accounts; counts an item that has it already. */
    private static final String MARK = """
            local function mark(account, item)
              local producer, number = string.match(item, '^(%d+):(%d+)$')
              if redis.call('SETBIT', account .. ':' .. producer, number, 1) == 1 then
                redis.call('HINCRBY', 'counts', account .. ' twice', 1)
              end
            end
            """;

    private static final String READ = """
            return redis.call('HMGET', 'ring', 'head', 'tail')
            """;

    private static final String ADD = MARK + """
            redis.call('HSET', 'slots', ARGV[3] % ARGV[4], ARGV[2])
            redis.call('HSET', 'ring', 'tail', ARGV[3] + 1)
            mark('added', ARGV[2])
            return 'OK'
            """;

    private static final String REMOVE = MARK + """
            local item = redis.call('HGET', 'slots', ARGV[3] % ARGV[4])
            redis.call('HSET', 'ring', 'head', ARGV[3] + 1)
            redis.call('HSET', 'hands', item, ARGV[2])
            mark('taken', item)
            return item
            """;

    private static final String DONE = MARK + """
            redis.call('HDEL', 'hands', ARGV[1])
            mark('done', ARGV[1])
            return 'OK'
            """;

    private final RedisClient redis;
    private final DistributedLock lock;
    private final int capacity;
    private final boolean fenced;
    private final String owner;

    // What the holder of the lock has read.
    private long token;
    private long head;
    private long tail;

    /**
     * Creates a view of the ring.
     *
     * @param fenced whether tokens are compared
     * @param owner whose hands take the items
     */
    SharedItems(RedisClient redis, DistributedLock lock, int capacity, boolean fenced, String owner) {
        this.redis = redis;
        this.lock = lock;
        this.capacity = capacity;
        this.fenced = fenced;
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

    private Object eval(String what, String script, String... arguments) {
        try {
            return redis.eval(
                    fenced ? GUARD.formatted(what) + script : script,
                    List.of(),
                    Stream.concat(Stream.of(Long.toString(token)), Arrays.stream(arguments))
                            .toList());
        } catch (JedisDataException e) {
            if (String.valueOf(e.getMessage()).startsWith(LATE)) {
                throw new LateException(e.getMessage());
            }
            throw e;
        }
    }

    /** Reads the ring by the token of this hold, which the write that follows will carry too. */
    private long read() {
        token = lock.lease()
                .orElseThrow(() -> new LateException("the lock is lost"))
                .fencingToken()
                .orElseThrow();
        List<?> ring = (List<?>) eval("reads", READ);
        head = number(ring.get(0));
        tail = number(ring.get(1));
        return tail - head;
    }

    private static long number(Object value) {
        return value == null ? 0 : Long.parseLong(value.toString());
    }

    @Override
    public boolean isFull() {
        return counted("found full", read() >= capacity);
    }

    @Override
    public boolean isEmpty() {
        return counted("found empty", read() <= 0);
    }

    private boolean counted(String what, boolean fact) {
        if (fact) {
            redis.hincrBy("counts", what, 1);
        }
        return fact;
    }

    @Override
    public void add(String item) {
        eval("writes", ADD, item, Long.toString(tail), Integer.toString(capacity));
    }

    @Override
    public String remove() {
        return (String) eval("writes", REMOVE, owner, Long.toString(head), Integer.toString(capacity));
    }

    /** Notes that an item that was taken is done. Needs no lock. */
    void done(String item) {
        redis.eval(DONE, List.of(), List.of(item));
    }

    /** The items that were taken by this process and are not done. */
    List<String> inOwnHands() {
        return inHands().entrySet().stream()
                .filter(hand -> hand.getValue().equals(owner))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The items that were taken and are not done, with who took them. */
    Map<String, String> inHands() {
        return redis.hgetAll("hands");
    }

    /** How many items are in the ring. */
    long size() {
        List<String> ring = redis.hmget("ring", "head", "tail");
        return number(ring.get(1)) - number(ring.get(0));
    }

    /** How many times an item was added or taken. */
    long moves() {
        List<String> ring = redis.hmget("ring", "head", "tail");
        return number(ring.get(1)) + number(ring.get(0));
    }

    /** How many items of a producer were added, by whatever processes. */
    long added(int producer) {
        return redis.bitcount("added:" + producer);
    }

    /** How many items of a producer were taken. */
    long taken(int producer) {
        return redis.bitcount("taken:" + producer);
    }

    /** How many items of a producer are done. */
    long done(int producer) {
        return redis.bitcount("done:" + producer);
    }

    /** How often something happened: "found full", "refused writes", "taken twice" and the like. */
    long count(String what) {
        return number(redis.hget("counts", what));
    }
}
