// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/**
 * A list with one token, which is taken by {@code BLPOP} and given back by {@code LPUSH}: the least that a hand-off can
 * cost. It has no lease: a holder that dies takes the token with it.
 */
final class TokenList implements Lock {
    private static final String TOKEN = "token";
    private static final String SEEDED = ":seeded";

    private final UnifiedJedis client;
    private final String key;

    private TokenList(UnifiedJedis client, String key) {
        this.client = client;
        this.key = key;
    }

    /** Opens a list, and puts the token into it if no client has done so before. */
    static TokenList open(UnifiedJedis client, String key) {
        if (client.set(key + SEEDED, TOKEN, SetParams.setParams().nx()) != null) {
            client.lpush(key, TOKEN);
        }
        return new TokenList(client, key);
    }

    @Override
    public void lock() {
        client.blpop(0, key);
    }

    @Override
    public void lockInterruptibly() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock() {
        return client.lpop(key) != null;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unlock() {
        client.lpush(key, TOKEN);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException();
    }
}
