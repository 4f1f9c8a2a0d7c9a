// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import static dev.interlock.redis.topology.cluster.ClusterFixture.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ThreadListingEnvironment;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Subscriptions between two clusters of one node each, so that a table can say at any moment that a slot has moved. It
 * takes two seconds until such a node serves, so the tests share them.
 */
class ShardSubscriptionsTest {
    private static RedisServer one;
    private static RedisServer other;

    private final ThreadListingEnvironment env = new ThreadListingEnvironment();
    private final ClusterNodes members = new ClusterNodes(
            env, new JedisConnector(env, ConnectionSettings.builder().build()), () -> {});
    private final ShardSubscriptions subscriptions = new ShardSubscriptions(members, () -> {});

    @BeforeAll
    static void start() {
        one = RedisServer.start("--cluster-enabled", "yes");
        other = RedisServer.start("--cluster-enabled", "yes");
        for (RedisServer server : List.of(one, other)) {
            server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        }
        for (RedisServer server : List.of(one, other)) {
            await().atMost(LONG)
                    .until(() ->
                            String.valueOf(server.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
        }
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
    }

    @AfterEach
    void close() {
        subscriptions.close();
        members.close();
        env.awaitThreadsEnded();
    }

    private static SlotTable servedBy(RedisServer server) {
        RedisEndpoint endpoint = RedisEndpoint.parse(server.uri());
        List<Object> all = List.of(0L, 16_383L, List.of(endpoint.host(), (long) endpoint.port()));
        return SlotTable.of(List.of(all), endpoint);
    }

    private static long listeners(RedisServer server, String channel) {
        return (Long) ((List<?>) server.command("PUBSUB", "SHARDNUMSUB", channel)).get(1);
    }

    @Test
    void theEndAtOneNodeIsToldBeforeTheBeginningAtTheNextOne() {
        Entangled first = new Entangled();
        Entangled second = new Entangled();
        first.otherOne = second;
        second.otherOne = first;
        subscriptions.add("first", first, servedBy(one));
        subscriptions.add("second", second, servedBy(one));
        await().atMost(LONG).until(() -> first.heard.all.contains("begun") && second.heard.all.contains("begun"));

        subscriptions.follow(servedBy(other));

        for (Entangled each : List.of(first, second)) {
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(each.heard.all).containsSubsequence("begun", "ended", "begun"));
            assertThat(each.heard.all).endsWith("begun");
        }
        assertThat(listeners(other, "first")).isEqualTo(1);
        await().atMost(LONG).until(() -> listeners(one, "first") + listeners(one, "second") == 0);
    }

    /**
     * Blocks in the event that ends its subscription until the other listener's has begun again, or a second has
     * passed.
     */
    private static final class Entangled implements RedisNode.Listener {
        private final ClusterFixture.Heard heard = new ClusterFixture.Heard();
        private final CountDownLatch begunAnew = new CountDownLatch(2);
        private Entangled otherOne;

        @Override
        public void begun() {
            heard.begun();
            begunAnew.countDown();
        }

        @Override
        public void ended() {
            try {
                // Nothing is asserted about it: a busy machine may take longer, and then tests less.
                otherOne.begunAnew.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            heard.ended();
        }

        @Override
        public void message(String text) {
            heard.message(text);
        }
    }

    @Test
    void aNodeThatLeftIsClosedAfterAWhileAndListenedToAgainWhenItIsBack() {
        ClusterFixture.Heard heard = new ClusterFixture.Heard();
        subscriptions.add("channel", heard, servedBy(one));
        await().atMost(LONG).until(() -> heard.all.contains("begun"));

        members.retain(List.of());
        assertThat(listeners(one, "channel"))
                .as("those who wait for replies have a while")
                .isEqualTo(1);
        env.putForward(Duration.ofSeconds(31).toNanos());
        members.retain(List.of());
        await().atMost(LONG).until(() -> listeners(one, "channel") == 0);
        env.awaitThreadsEnded();

        assertThat(subscriptions.follow(servedBy(one))).as("all is confirmed").isFalse();
        await().atMost(LONG).until(() -> subscriptions.follow(servedBy(one)));
        assertThat(heard.all).containsSubsequence("begun", "ended", "begun");
        assertThat(listeners(one, "channel")).isEqualTo(1);
    }
}
