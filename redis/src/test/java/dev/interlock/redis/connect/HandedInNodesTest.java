// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.redis.connect.RedisNodeContract.LONG;
import static dev.interlock.redis.connect.RedisNodeContract.PING;
import static dev.interlock.redis.connect.RedisNodeContract.TAKE;
import static dev.interlock.redis.connect.RedisNodeContract.clients;
import static dev.interlock.redis.connect.RedisNodeContract.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.testservers.RedisServer;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.MultiDbClient;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.executors.CommandExecutor;

/** Nodes over the clients of an application, where they differ from nodes with connections of their own. */
class HandedInNodesTest {
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anErrorReplyCostsAJedisClientNoneOfItsOtherConnections() {
        try (RedisClient client = RedisClient.builder()
                        .hostAndPort("127.0.0.1", server.port())
                        .clientConfig(DefaultJedisClientConfig.builder()
                                .timeoutMillis(Math.toIntExact(LONG.toMillis()))
                                .build())
                        .build();
                RedisNode node = JedisNodes.of(client, Environment.system())) {
            try (Connection one = client.getPool().getResource();
                    Connection other = client.getPool().getResource()) {
                assertThat(one.ping() && other.ping()).isTrue();
            }
            List<String> before = clients(server);
            server.command("REPLICAOF", "127.0.0.1", "1");

            assertThat(failure(() -> node.call(TAKE, LONG))).hasMessageContaining("READONLY");

            // A server forgets a client a little after the end of its connection.
            await().atMost(LONG)
                    .untilAsserted(() ->
                            assertThat(kept(before)).as("of two connections").hasSize(1));
            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
            assertThat(kept(before))
                    .as("of two connections, after another call")
                    .hasSize(1);
        }
    }

    /** Those of the given connections that the server still has. */
    private List<String> kept(List<String> before) {
        List<String> kept = new ArrayList<>(clients(server));
        kept.retainAll(before);
        return kept;
    }

    /** The client is not made by its builder, which would need a library of circuit breakers. */
    @Test
    void aJedisClientOfSeveralDatabasesIsRefusedWithTheReason() throws Exception {
        Constructor<?> constructor = Arrays.stream(MultiDbClient.class.getDeclaredConstructors())
                .filter(each -> each.getParameterTypes()[0] == CommandExecutor.class)
                .findFirst()
                .orElseThrow();
        constructor.setAccessible(true);
        try (UnifiedJedis client = (UnifiedJedis) constructor.newInstance(
                null, null, DefaultJedisClientConfig.builder().build(), null)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JedisNodes.of(client, LONG, Environment.system()))
                    .withMessageContaining("databases that do not share their data")
                    .withMessageContaining("give a client of one database");
        }
    }

    @Test
    void aTimeoutOfZeroMeansNoneAsItDoesToLettuce() throws Exception {
        RedisURI uri = RedisURI.create(server.uri());
        uri.setTimeout(Duration.ZERO);
        try (io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create(uri);
                RedisNode node = LettuceNodes.of(client, uri, Environment.system())) {
            CountDownLatch subscribed = new CountDownLatch(1);

            node.subscribe("channel", subscribed::countDown);

            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
            assertThat(subscribed.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }
}
