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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A primary and a replica, which an administrator lets change their roles. */
class ReplicatedNodeTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisCommand WRITE = RedisCommand.of("INCR", "writes");

    private RedisServer one;
    private RedisServer other;
    private final List<RedisNode> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        one = RedisServer.start("--repl-diskless-sync-delay", "0");
        other = RedisServer.start("--repl-diskless-sync-delay", "0");
    }

    @AfterEach
    void stop() {
        nodes.forEach(RedisNode::close);
        one.close();
        other.close();
    }

    private RedisNode open(ClientLibrary library) {
        RedisNode node = RedisNodes.open(
                library,
                LockConfig.builder()
                        .endpoints(one.uri() + "," + other.uri())
                        .commandTimeout(LONG)
                        .build(),
                Environment.system());
        nodes.add(node);
        return node;
    }

    private void replicate() {
        other.command("REPLICAOF", "127.0.0.1", Integer.toString(one.port()));
        await().atMost(LONG).until(() -> info(one).contains("state=online"));
    }

    private static String info(RedisServer server) {
        return String.valueOf(server.command("INFO", "replication"));
    }

    /** Without losing a write or ending a connection. */
    private void switchOver() {
        one.command("FAILOVER");
        await().atMost(LONG)
                .until(() -> info(other).contains("role:master") && info(one).contains("role:slave"));
        await().atMost(LONG).until(() -> info(one).contains("master_link_status:up"));
    }

    @Test
    void aSubscriptionThatOutlivesThePrimaryIsNotBelieved() {
        outliveThePrimary(ClientLibrary.JEDIS);
    }

    @Test
    @Tag("deep")
    void aSubscriptionOverLettuceThatOutlivesThePrimaryIsNotBelieved() {
        outliveThePrimary(ClientLibrary.LETTUCE);
    }

    @Test
    @Tag("deep")
    void aSubscriptionOverSharedConnectionsThatOutlivesThePrimaryIsNotBelieved() {
        outliveThePrimary(ClientLibrary.INTERLOCK);
    }

    private void outliveThePrimary(ClientLibrary library) {
        replicate();
        RedisNode node = open(library);
        HeardEvents heard = new HeardEvents();
        node.subscribe("channel", heard);
        assertThat(node.call(WRITE, LONG)).isEqualTo(1L);
        await().atMost(LONG).until(() -> node.isSubscribed("channel"));

        switchOver();
        assertThat(one.command("PUBSUB", "NUMSUB", "channel"))
                .as("it lives on at the former primary")
                .isEqualTo(List.of("channel", 1L));
        assertThat(node.call(WRITE, LONG))
                .as("sent on to the new primary, once")
                .isEqualTo(2L);

        await().atMost(LONG)
                .until(() -> other.command("PUBLISH", "channel", "news").equals(1L));
        await().atMost(LONG).until(() -> heard.all().contains("message news"));
        assertThat(heard.states()).startsWith("begun", "ended").endsWith("begun");
        await().atMost(LONG)
                .until(() -> one.command("PUBSUB", "NUMSUB", "channel").equals(List.of("channel", 0L)));
    }

    @ParameterizedTest
    @EnumSource(names = {"JEDIS", "INTERLOCK"})
    @Tag("deep")
    void callsThatMeetASwitchOverAreCarriedOutOnceEach(ClientLibrary library) throws Exception {
        replicate();
        RedisNode node = open(library);
        node.call(WRITE, LONG);
        int threads = 8;
        int each = 200;
        ExecutorService writers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> written = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                written.add(writers.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        node.call(WRITE, LONG);
                    }
                }));
            }
            switchOver();
            for (Future<?> writer : written) {
                writer.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            writers.shutdownNow();
        }

        assertThat(node.call(WRITE, LONG)).isEqualTo(2L + threads * each);
        assertThat(info(other)).contains("role:master");
    }

    @Test
    @Tag("deep")
    void twoServersThatHaveNothingToDoWithEachOtherAreExplained() {
        assertExplained("several servers say that they are the primary", "redlock");
    }

    @Test
    @Tag("deep")
    void aReplicaWithoutItsPrimaryIsExplained() {
        replicate();
        one.kill();
        assertExplained("no primary among", "cannot connect");
    }

    /**
     * Asks by ever new nodes, since on a busy machine one of the servers may answer after the other one has been
     * believed.
     */
    private void assertExplained(String what, String advice) {
        await().atMost(LONG).untilAsserted(() -> {
            RedisNode node = open(ClientLibrary.JEDIS);

            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(WRITE, Duration.ofSeconds(4)));

            assertThat(failure).isNotNull();
            assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(failure).hasMessageContaining(what).hasMessageContaining(advice);
        });
    }

    @Test
    void aPrimaryThatAnswersIsKeptWhileTheRestIsGone() {
        replicate();
        RedisNode node = open(ClientLibrary.JEDIS);
        node.call(WRITE, LONG);
        other.kill();
        node.doubtSubscriptions();

        assertThat(node.call(WRITE, LONG)).isEqualTo(2L);
    }
}
