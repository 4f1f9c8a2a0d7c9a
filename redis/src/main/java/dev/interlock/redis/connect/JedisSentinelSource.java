// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.topology.PrimarySource;
import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.util.Pool;

/**
 * Finds the primary that a Jedis client has learned of from sentinels. The client has one connection pool per primary.
 */
final class JedisSentinelSource implements PrimarySource {
    private final RedisSentinelClient client;
    private final Environment env;

    JedisSentinelSource(RedisSentinelClient client, Environment env) {
        this.client = client;
        this.env = env;
    }

    @Override
    public Candidate find(Deadline deadline) {
        for (Map.Entry<?, Pool<Connection>> primary :
                client.getPrimaryNodesConnectionMap().entrySet()) {
            String server = String.valueOf(primary.getKey());
            Pool<Connection> pool = primary.getValue();
            // A server that becomes the primary again gets a new pool; its former pool is closed.
            return new Candidate(pool, server, () -> JedisNodes.of(pool, server, env));
        }
        throw new LockBackendException(
                Reason.UNREACHABLE, "the given Jedis client knows no primary: check that its sentinels run");
    }

    @Override
    public void close() {
        // The client stays open.
    }
}
