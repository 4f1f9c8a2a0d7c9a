// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import static dev.interlock.redis.topology.cluster.ClusterFixture.LONG;
import static dev.interlock.redis.topology.cluster.ClusterFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ThreadListingEnvironment;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A client of a cluster, on three primaries that the tests share and leave intact. */
@Tag("both-legs")
@ParameterizedClass
@MethodSource("clients")
class ClusterNodeTest {
    private static final LuaScript INCREMENT = LuaScript.of("return redis.call('INCR', KEYS[1])");

    @Parameter
    ClientLibrary library;

    /** Returns the libraries that the build names, or else both. */
    static List<ClientLibrary> clients() {
        return Arrays.stream(
                        System.getProperty("interlock.clients", "jedis,lettuce").split(","))
                .map(name -> ClientLibrary.valueOf(name.toUpperCase(Locale.ROOT)))
                .toList();
    }

    private static ClusterFixture cluster;

    @BeforeAll
    static void start() {
        cluster = new ClusterFixture(3, 0);
    }

    @BeforeEach
    void empty() {
        cluster.servers.primaries().forEach(server -> server.command("FLUSHALL"));
    }

    @AfterEach
    void closeNodes() {
        cluster.closeNodes();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void commandsGoToThePrimaryOfTheirKeyAndFollowItsSlotWithoutBeingCarriedOutTwice() {
        // One of the seeds is down; another one is enough.
        RedisServer alive = cluster.servers.primaries().get(0);
        RedisNode node = cluster.node(library, "redis-cluster://127.0.0.1:1,127.0.0.1:" + alive.port());
        for (RedisServer server : cluster.servers.primaries()) {
            String key = cluster.keyOn(server, "counter");
            assertThat(call(node, "INCR", key)).isEqualTo(1L);
            assertThat(server.command("GET", key)).isEqualTo("1");
            assertThat(node.lane(key)).endsWith(":" + server.port());
        }
        String key = "counter";
        call(node, "INCR", key);
        RedisServer target = cluster.stranger(key);
        cluster.servers.migrateSlot(cluster.servers.slotOf(key), target);

        assertThat(node.call(RedisCommand.script(INCREMENT, List.of(key), List.of()), LONG))
                .isEqualTo(2L);
        assertThat(target.command("GET", key)).isEqualTo("2");
        assertThat(node.lane(key)).endsWith(":" + target.port());
    }

    @Test
    void keysOnTheirWayAreAskedForAtTheNodeThatIsAboutToGetThem() {
        RedisNode node = cluster.node(library);
        String key = "counter";
        call(node, "SET", key, "5");
        RedisServer source = cluster.owner(key);
        RedisServer target = cluster.stranger(key);
        SlotMigration migration = cluster.servers.beginMigration(cluster.servers.slotOf(key), target);
        assertThat(call(node, "INCR", key)).as("which has not left yet").isEqualTo(6L);
        migration.moveKeys(List.of(key));
        long generation = node.generation(key);

        RedisCommand increment = RedisCommand.script(INCREMENT, List.of(key), List.of());
        assertThat(node.call(increment, LONG)).isEqualTo(7L);
        assertThat(generation).isPositive().isNotEqualTo(node.generation(key));
        assertThat(node.callOrUndo(increment, () -> increment, LONG)).isEqualTo(8L);
        assertThat(node.transactIfEqual(key, "8", List.of(RedisCommand.of("INCR", key)), LONG))
                .isEqualTo("8");
        assertThat(node.transactIfEqual(key, "8", List.of(RedisCommand.of("INCR", key)), LONG))
                .isEqualTo("9");
        assertThat(node.callEach(List.of(increment), LONG)).isEqualTo(List.of(new RedisLink.Reply.Value(10L)));
        assertThat(node.lane(key)).as("until the slot has moved").endsWith(":" + source.port());
        migration.finish();
        cluster.servers.awaitSettled();
        assertThat(call(node, "GET", key)).isEqualTo("10");
    }

    @Test
    @Tag("deep")
    void keysThatAreTornApartAreAskedForAgainAndThenPassedOnAsNotReady() {
        RedisNode node = cluster.node(library);
        LuaScript both = LuaScript.of("return redis.call('INCRBY', KEYS[1], redis.call('GET', KEYS[2]))");
        RedisCommand command = RedisCommand.script(both, List.of("{x}a", "{x}b"), List.of());
        call(node, "SET", "{x}a", "1");
        call(node, "SET", "{x}b", "1");
        SlotMigration migration = cluster.servers.beginMigration(cluster.servers.slotOf("x"), cluster.stranger("x"));
        migration.moveKeys(List.of("{x}a"));

        LockBackendException failure =
                Assertions.catchThrowableOfType(LockBackendException.class, () -> node.call(command, LONG));

        assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE);
        assertThat(failure).hasMessageContaining("TRYAGAIN");
        migration.finish();
        cluster.servers.awaitSettled();
        assertThat(node.call(command, LONG)).isEqualTo(2L);
    }

    @Test
    @Tag("deep")
    void keysThatDoNotExistWhileTheirSlotMovesArePassedOnAsNotReadyToo() {
        RedisNode node = cluster.node(library);
        LuaScript both = LuaScript.of("return redis.call('EXISTS', KEYS[1], KEYS[2])");
        RedisCommand command = RedisCommand.script(both, List.of("{y}a", "{y}b"), List.of());
        assertThat(node.call(command, LONG)).isEqualTo(0L);
        RedisServer target = cluster.stranger("y");
        SlotMigration migration = cluster.servers.beginMigration(cluster.servers.slotOf("y"), target);
        long before = target.commandStats().getOrDefault("asking", 0L);

        // The source sends us to the target, and that one waits for the keys.
        LockBackendException failure =
                Assertions.catchThrowableOfType(LockBackendException.class, () -> node.call(command, LONG));

        assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE);
        assertThat(failure).hasMessageContaining("TRYAGAIN");
        assertThat(target.commandStats().getOrDefault("asking", 0L) - before)
                .as("how often it was asked: once, and five times more")
                .isEqualTo(6);
        migration.finish();
        cluster.servers.awaitSettled();
        assertThat(node.call(command, LONG)).isEqualTo(0L);
    }

    @Test
    void noThreadOutlivesTheNode() {
        ThreadListingEnvironment env = new ThreadListingEnvironment();
        RedisNode node = RedisNodes.open(
                library,
                LockConfig.builder()
                        .endpoints(cluster.servers.uri())
                        .commandTimeout(LONG)
                        .build(),
                env);
        ClusterFixture.Heard heard = new ClusterFixture.Heard();
        for (RedisServer server : cluster.servers.primaries()) {
            call(node, "INCR", cluster.keyOn(server, "counter"));
            node.subscribe(cluster.keyOn(server, "channel"), heard);
        }
        await().atMost(LONG).until(() -> heard.all.size() >= 3);
        assertThat(env.threads()).isNotEmpty();
        node.close();
        env.awaitThreadsEnded();
        assertThat(Assertions.catchThrowable(() -> call(node, "INCR", "counter")))
                .isInstanceOf(LockBackendException.class);
        env.awaitThreadsEnded();
    }

    @Test
    void manyCommandsGoToAllNodesAndEachHasItsOwnOutcome() {
        RedisNode node = cluster.node(library);
        List<RedisCommand> increments = IntStream.range(0, 100)
                .mapToObj(i -> RedisCommand.script(INCREMENT, List.of("counter" + i), List.of()))
                .toList();
        call(node, "SET", "counter7", "no number");

        List<RedisLink.Reply> replies = node.callEach(increments, LONG);

        for (int i = 0; i < replies.size(); i++) {
            if (i == 7) {
                assertThat(replies.get(i)).isInstanceOf(RedisLink.Reply.Failed.class);
            } else {
                assertThat(replies.get(i)).isEqualTo(new RedisLink.Reply.Value(1L));
            }
        }
    }

    @Test
    void keysOfOneSlotAreWrittenByOneTransactionAtTheirNode() {
        RedisNode node = cluster.node(library);
        List<String> keys = List.of("{x}1", "{x}2", "{x}3");
        keys.forEach(key -> call(node, "SET", key, "1"));
        List<RedisCommand> deletions =
                keys.stream().map(key -> RedisCommand.of("DEL", key)).toList();
        long before = cluster.owner("x").commandStats().getOrDefault("exec", 0L);

        assertThat(node.transactWhereEqual(keys, List.of("1", "0", "1"), deletions, LONG))
                .containsExactly("1", "1", "1");

        assertThat(call(node, "EXISTS", "{x}1")).isEqualTo(0L);
        assertThat(call(node, "EXISTS", "{x}2")).isEqualTo(1L);
        assertThat(cluster.owner("x").commandStats().getOrDefault("exec", 0L) - before)
                .isEqualTo(1);
    }

    @Test
    @Tag("deep")
    void aShardedSubscriptionFollowsItsSlot() {
        RedisNode node = cluster.node(library);
        String channel = "{counter}:channel";
        ClusterFixture.Heard heard = new ClusterFixture.Heard();
        Watch watch = node.subscribe(channel, heard);
        await().atMost(LONG).untilAsserted(() -> assertThat(heard.all).contains("begun"));
        assertThat(node.isSubscribed(channel)).isTrue();
        assertThat(call(node, "SPUBLISH", channel, "one")).isEqualTo(1L);
        await().atMost(LONG).untilAsserted(() -> assertThat(heard.all).endsWith("one"));
        RedisServer target = cluster.stranger(channel);

        cluster.servers.migrateSlot(cluster.servers.slotOf(channel), target);

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(heard.all).containsSubsequence("begun", "one", "ended", "begun"));
        assertThat(call(node, "SPUBLISH", channel, "two")).isEqualTo(1L);
        await().atMost(LONG).untilAsserted(() -> assertThat(heard.all).endsWith("two"));
        watch.close();
        await().atMost(LONG)
                .until(() -> target.command("PUBSUB", "SHARDNUMSUB", channel).equals(List.of(channel, 0L)));
        assertThat(node.isSubscribed(channel)).isFalse();
    }

    @Test
    @Tag("deep")
    void channelsOfSlotsOfOneNodeAreListenedToTogether() {
        RedisNode node = cluster.node(library);
        RedisServer server = cluster.servers.primaries().get(1);
        List<String> channels = IntStream.range(0, 20)
                .mapToObj(i -> cluster.keyOn(server, "channel" + i + "-"))
                .toList();
        ClusterFixture.Heard heard = new ClusterFixture.Heard();
        channels.forEach(channel -> node.subscribe(channel, heard));
        await().atMost(LONG).until(() -> channels.stream().allMatch(node::isSubscribed));

        server.command("CLIENT", "KILL", "TYPE", "pubsub");

        await().atMost(LONG).until(() -> heard.all.contains("ended"));
        await().atMost(LONG).until(() -> channels.stream().allMatch(node::isSubscribed));
    }
}
