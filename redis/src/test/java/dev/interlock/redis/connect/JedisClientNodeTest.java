// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.testservers.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

@Tag("deep")
class JedisClientNodeTest extends RedisNodeContract {
    private RedisClient client;

    @Override
    RedisNode open(String uri, Environment env) {
        client = closeLater(RedisClient.create(uri));
        return JedisNodes.of(client, env);
    }

    @Override
    String nameInMessages(RedisServer server) {
        return "the server of the given Jedis client";
    }

    @Override
    boolean canUndo() {
        return false;
    }

    @Override
    boolean probesNewConnections() {
        return false;
    }

    @Test
    void theGenerationOfConnectionsIsNotKnown() {
        RedisNode node = node(start().uri());
        node.call(PING, LONG);

        assertThat(node.generation("k")).isNegative();
    }

    @Override
    void assertClosed(RedisServer server) {
        assertThat(client.ping()).isEqualTo("PONG");
    }
}
