// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;

class JedisClientNodeTest extends RedisNodeContract {
    private RedisClient client;

    @Override
    RedisNode open(String uri, Environment env) {
        client = closeLater(RedisClient.create(uri));
        return JedisNodes.of(client, env);
    }

    @Override
    boolean canUndo() {
        return false;
    }

    @Override
    boolean probesNewConnections() {
        return false;
    }

    @Override
    void assertClosed(RedisServer server, Set<Thread> before) {
        assertThat(client.ping()).isEqualTo("PONG");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(threadsSince(before)).noneMatch(name -> name.contains("interlock")));
    }

    @Test
    void anErrorReplyCostsTheClientNoneOfItsOtherConnections() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        try (Connection one = client.getPool().getResource();
                Connection other = client.getPool().getResource()) {
            assertThat(one.ping() && other.ping()).isTrue();
        }
        List<String> before = clients(server);
        server.command("REPLICAOF", "127.0.0.1", "1");

        assertThatThrownBy(() -> node.call(RedisCommand.of("SET", "k", "v"), LONG))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("READONLY");

        List<String> kept = new ArrayList<>(clients(server));
        kept.retainAll(before);
        assertThat(kept).as("of two connections").hasSize(1);
    }
}
