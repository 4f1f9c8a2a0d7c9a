// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SentinelNodeTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisCommand WRITE = RedisCommand.of("SET", "k", "v");

    private static SentinelServers servers;

    @BeforeAll
    static void start() {
        servers = SentinelServers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private static RedisNode open(ClientLibrary library, String uri) {
        return RedisNodes.open(
                library,
                LockConfig.builder().endpoints(uri).commandTimeout(LONG).build(),
                Environment.system());
    }

    @Test
    void commandsAndListenersFollowThePrimary() {
        followThePrimary(ClientLibrary.JEDIS);
    }

    @Test
    @Tag("deep")
    void commandsAndListenersFollowThePrimaryOverLettuceToo() {
        followThePrimary(ClientLibrary.LETTUCE);
    }

    @Test
    @Tag("deep")
    void commandsAndListenersFollowThePrimaryOverSharedConnectionsToo() {
        followThePrimary(ClientLibrary.INTERLOCK);
    }

    private static void followThePrimary(ClientLibrary library) {
        try (RedisNode node = open(library, servers.uri())) {
            HeardEvents heard = new HeardEvents();
            node.subscribe("channel", heard);
            assertThat(node.call(WRITE, LONG)).isEqualTo("OK");
            await().atMost(LONG).until(() -> node.isSubscribed("channel"));

            RedisServer former = servers.primary();
            RedisServer promoted = servers.switchOver();

            // The sentinels tell of it, before anything is called.
            await().atMost(LONG)
                    .until(() -> promoted.command("PUBLISH", "channel", "news").equals(1L));
            assertThat(node.call(WRITE, LONG)).isEqualTo("OK");
            await().atMost(LONG).until(() -> node.isSubscribed("channel"));
            await().atMost(LONG).until(() -> heard.all().contains("message news"));
            await().atMost(LONG)
                    .until(() -> former.command("PUBSUB", "NUMSUB", "channel").equals(List.of("channel", 0L)));
            assertThat(heard.states()).startsWith("begun", "ended").endsWith("begun");
        }
    }

    @Test
    void sentinelsThatAreGoneAreDoneWithout() {
        String gone = "redis-sentinel://127.0.0.1:1," + servers.uri().substring("redis-sentinel://".length());
        try (RedisNode node = open(ClientLibrary.JEDIS, gone)) {
            assertThat(node.call(WRITE, LONG)).isEqualTo("OK");
        }
    }

    @ParameterizedTest
    @EnumSource(ClientLibrary.class)
    void aNameThatNoSentinelKnowsIsAnErrorAtOnce(ClientLibrary library) {
        try (RedisNode node = open(library, servers.uri().replace("#", "#not-"))) {
            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(WRITE, LONG));

            assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
            assertThat(failure).hasMessageContaining("know no primary by the name \"not-" + servers.masterName());
        }
    }

    @Test
    void aPasswordThatTheSentinelsDoNotWantIsExplained() {
        String uri = servers.uri().replace("#", "?sentinelPassword=hunter2#");
        try (RedisNode node = open(ClientLibrary.JEDIS, uri)) {
            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(WRITE, LONG));

            assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
            assertThat(failure).hasMessageContaining("AUTH").hasMessageNotContaining("hunter2");
        }
    }

    @Test
    @Tag("deep")
    void theDocumentedListSufficesAtTheSentinels() throws IOException {
        String list = Files.readAllLines(Path.of("..", "docs", "topologies.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER"))
                .findFirst()
                .orElseThrow();
        for (RedisServer sentinel : servers.sentinels()) {
            sentinel.command(list.replace(">…", ">s3cret").split(" "));
            sentinel.command("ACL", "LOG", "RESET");
        }
        String uri = servers.uri().replace("#", "?sentinelUsername=locker&sentinelPassword=s3cret#");
        for (ClientLibrary library : ClientLibrary.values()) {
            try (RedisNode node = open(library, uri)) {
                assertThat(node.call(WRITE, LONG)).isEqualTo("OK");
                for (RedisServer sentinel : servers.sentinels()) {
                    await().atMost(LONG).until(() -> subscribers(sentinel) == 1);
                    assertThat((List<?>) sentinel.command("ACL", "LOG")).isEmpty();
                }
            }
            for (RedisServer sentinel : servers.sentinels()) {
                await().atMost(LONG).until(() -> subscribers(sentinel) == 0);
            }
        }
    }

    private static long subscribers(RedisServer sentinel) {
        return String.valueOf(sentinel.command("CLIENT", "LIST"))
                .lines()
                .filter(client -> client.contains(" user=locker ") && client.contains(" sub=1 "))
                .count();
    }

    @Test
    @Tag("deep")
    void noSentinelAtAllIsExplained() {
        try (RedisNode node = open(ClientLibrary.JEDIS, "redis-sentinel://127.0.0.1:1,127.0.0.1:2/0#main")) {
            // A machine that stands still until the end of the time says less.
            await().atMost(LONG).untilAsserted(() -> {
                LockBackendException failure =
                        catchThrowableOfType(LockBackendException.class, () -> node.call(WRITE, Duration.ofSeconds(3)));

                assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
                assertThat(failure)
                        .hasMessageContaining("none of 2 sentinels tells where the primary \"main\" is")
                        .hasMessageContaining("redis://127.0.0.1:");
            });
        }
    }
}
