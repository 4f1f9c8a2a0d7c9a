// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import java.time.Duration;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The historical algorithm as programs implemented it by hand: that of the SETNX page, with whole numbers. */
@SuppressWarnings("deprecation") // Jedis, too, advises against these commands.
final class HistoricalClient implements AutoCloseable {
    private final RedisClient redis;
    private final boolean seconds;
    private final Duration clockAhead;
    private long end;

    HistoricalClient(int port, boolean seconds, Duration clockAhead) {
        this.redis = RedisClient.builder()
                .hostAndPort("127.0.0.1", port)
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(Math.toIntExact(Fixture.TIMEOUT.toMillis()))
                        .build())
                .build();
        this.seconds = seconds;
        this.clockAhead = clockAhead;
    }

    private long units(Duration duration) {
        return seconds ? duration.toSeconds() : duration.toMillis();
    }

    private long now() {
        return units(Duration.ofMillis(System.currentTimeMillis()).plus(clockAhead));
    }

    /** Takes no notice of what stands behind a point. */
    private static long parse(String value) {
        return Long.parseLong(value.split("\\.", 2)[0]);
    }

    boolean tryLock(Duration lease) {
        if (setnx(lease)) {
            return true;
        }
        String seen = redis.get(Fixture.KEY);
        return seen != null && parse(seen) < now() && getset(lease);
    }

    boolean setnx(Duration lease) {
        long mine = now() + units(lease) + 1;
        boolean got = redis.setnx(Fixture.KEY, Long.toString(mine)) == 1;
        if (got) {
            end = mine;
        }
        return got;
    }

    /** The step of one who has seen a time that has passed; the lock is his only if it still is there. */
    boolean getset(Duration lease) {
        long mine = now() + units(lease) + 1;
        String before = redis.getSet(Fixture.KEY, Long.toString(mine));
        boolean got = before == null || parse(before) < now();
        if (got) {
            end = mine;
        }
        return got;
    }

    void unlock() {
        if (now() < end) {
            redis.del(Fixture.KEY);
        }
    }

    @Override
    public void close() {
        redis.close();
    }
}
