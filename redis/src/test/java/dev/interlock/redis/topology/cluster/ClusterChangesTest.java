// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import static dev.interlock.redis.topology.cluster.ClusterFixture.LONG;
import static dev.interlock.redis.topology.cluster.ClusterFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.JedisNodes;
import dev.interlock.redis.connect.LettuceNodes;
import dev.interlock.testservers.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.HostAndPort;

/** Clusters that change, and clients that are handed in. Each test has a cluster of its own. */
@Tag("deep")
class ClusterChangesTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    @ParameterizedTest
    @EnumSource(ClientLibrary.class)
    void aPromotedReplicaIsFoundForCommandsAndSubscriptions(ClientLibrary library) {
        try (ClusterFixture cluster = new ClusterFixture(3, 1)) {
            RedisNode node = cluster.node(library);
            String channel = "{key}:channel";
            ClusterFixture.Heard heard = new ClusterFixture.Heard();
            node.subscribe(channel, heard);
            call(node, "SET", "key", "value");
            RedisServer former = cluster.owner("key");
            await().atMost(LONG).until(() -> heard.all.contains("begun"));
            await().atMost(LONG).until(() -> isReplicated(cluster, former));

            cluster.servers.kill(former);
            cluster.servers.awaitFailover(former);

            await().atMost(LONG)
                    .ignoreExceptionsInstanceOf(LockBackendException.class)
                    .untilAsserted(() -> assertThat(call(node, "GET", "key")).isEqualTo("value"));
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(heard.all).containsSubsequence("begun", "ended", "begun"));
            await().atMost(LONG).until(() -> node.isSubscribed(channel));
            assertThat(call(node, "SPUBLISH", channel, "hello")).isEqualTo(1L);
            await().atMost(LONG).until(() -> heard.all.contains("hello"));
        }
    }

    private static boolean isReplicated(ClusterFixture cluster, RedisServer primary) {
        return cluster.servers.replicasOf(primary).stream()
                .allMatch(replica -> Long.valueOf(1).equals(replica.command("DBSIZE")));
    }

    @ParameterizedTest
    @EnumSource(ClientLibrary.class)
    void aStalledPrimaryHoldsUpNobodyElse(ClientLibrary library) {
        try (ClusterFixture cluster = new ClusterFixture(3, 0)) {
            RedisNode node = cluster.node(library);
            String key = "key";
            call(node, "SET", key, "value");
            String other = cluster.keyOn(cluster.stranger(key), "other");
            call(node, "SET", other, "value");
            RedisServer stalled = cluster.owner(key);
            stalled.pause();
            try {
                LockBackendException failure = catchThrowableOfType(
                        LockBackendException.class, () -> node.call(RedisCommand.of("GET", key), SHORT));
                assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.OUTCOME_UNKNOWN);
                for (int i = 0; i < 20; i++) {
                    assertThat(call(node, "GET", other)).isEqualTo("value");
                }
            } finally {
                stalled.resume();
            }
            await().atMost(LONG)
                    .ignoreExceptionsInstanceOf(LockBackendException.class)
                    .untilAsserted(() -> assertThat(call(node, "GET", key)).isEqualTo("value"));
        }
    }

    @Test
    void theSlotsOfANodeThatWasRemovedAreFoundElsewhere() {
        try (ClusterFixture cluster = new ClusterFixture(3, 0)) {
            RedisNode node = cluster.node(ClientLibrary.JEDIS);
            List<RedisServer> primaries = cluster.servers.primaries();
            RedisServer leaving = primaries.get(2);
            List<String> keys = primaries.stream()
                    .map(server -> cluster.keyOn(server, "key"))
                    .toList();
            keys.forEach(key -> call(node, "SET", key, key));

            cluster.servers.removeNode(leaving);

            for (String key : keys) {
                // A connection that was used a moment ago may have ended without our being told.
                await().atMost(LONG)
                        .ignoreExceptionsInstanceOf(LockBackendException.class)
                        .untilAsserted(() -> assertThat(call(node, "GET", key)).isEqualTo(key));
                assertThat(node.lane(key)).doesNotEndWith(":" + leaving.port());
            }
        }
    }

    @Test
    void aJedisClientThatIsHandedInServesWithItsPools() {
        try (ClusterFixture cluster = new ClusterFixture(3, 0)) {
            int port = cluster.servers.primaries().get(0).port();
            try (redis.clients.jedis.RedisClusterClient client =
                    redis.clients.jedis.RedisClusterClient.create(Set.of(new HostAndPort("127.0.0.1", port)))) {
                RedisNode node = cluster.closeLater(JedisNodes.of(client, Environment.system()));
                useAcrossAMove(cluster, node);
                node.close();
                assertThat(client.get("{key}:value")).as("which stays open").isEqualTo("3");
            }
        }
    }

    @Test
    void aLettuceClientThatIsHandedInServesWithItsThreads() {
        try (ClusterFixture cluster = new ClusterFixture(3, 0)) {
            RedisURI seed = RedisURI.create(
                    "redis://127.0.0.1:" + cluster.servers.primaries().get(0).port());
            try (io.lettuce.core.cluster.RedisClusterClient client =
                    io.lettuce.core.cluster.RedisClusterClient.create(seed)) {
                RedisNode node = cluster.closeLater(LettuceNodes.of(client, seed, Environment.system()));
                useAcrossAMove(cluster, node);
                node.close();
                assertThat(client.connect().sync().get("{key}:value"))
                        .as("which stays open")
                        .isEqualTo("3");
            }
        }
    }

    private static void useAcrossAMove(ClusterFixture cluster, RedisNode node) {
        String channel = "{key}:channel";
        String key = "{key}:value";
        ClusterFixture.Heard heard = new ClusterFixture.Heard();
        node.subscribe(channel, heard);
        assertThat(call(node, "INCR", key)).isEqualTo(1L);
        await().atMost(LONG).until(() -> node.isSubscribed(channel));
        cluster.servers.migrateSlot(cluster.servers.slotOf(key), cluster.stranger(key));
        assertThat(call(node, "INCR", key)).isEqualTo(2L);
        await().atMost(LONG).untilAsserted(() -> assertThat(heard.all).containsSubsequence("begun", "ended", "begun"));
        assertThat(call(node, "SPUBLISH", channel, "hello")).isEqualTo(1L);
        await().atMost(LONG).until(() -> heard.all.contains("hello"));
        assertThat(call(node, "INCR", key)).isEqualTo(3L);
    }
}
