// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.UnifiedJedis;

/**
 * Opens Jedis clients with a {@link TokenList}. A thread that waits occupies a connection, so that the pool must not be
 * limited: else waiters could take all of it, and the holder could not give the token back.
 */
public final class TokenListOpener implements Opener {
    private static final int UNLIMITED = -1;

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        UnifiedJedis client = JedisOpener.client(endpoints, terms, UNLIMITED);
        return new LockClient(name -> TokenList.open(client, name), client::close);
    }
}
