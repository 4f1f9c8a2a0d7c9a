// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class LettuceClientNodeTest extends RedisNodeContract {
    private RedisClient client;

    @Override
    RedisNode open(String uri, Environment env) {
        RedisURI parsed = RedisURI.create(uri);
        parsed.setTimeout(LONG);
        client = closeLater(RedisClient.create(parsed));
        return LettuceNodes.of(client, parsed, env);
    }

    @Test
    void theGenerationOfConnectionsIsNotKnown() {
        RedisNode node = node(start().uri());
        node.call(PING, LONG);

        assertThat(node.generation("k")).isNegative();
    }

    @Override
    void assertClosed(RedisServer server) {
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            assertThat(connection.sync().ping()).isEqualTo("PONG");
        }
    }

    /**
     * Lettuce logs in on a thread of its own and, on a busy machine, may hand a connection out before that takes
     * commands.
     */
    @Test
    void aConnectionThatLogsInTakesItsFirstCommandAndSubscription() throws Exception {
        AtomicBoolean busy = new AtomicBoolean(true);
        for (int i = 0; i <= Runtime.getRuntime().availableProcessors(); i++) {
            Thread burner = new Thread(() -> {
                while (busy.get()) {
                    Thread.onSpinWait();
                }
            });
            burner.setDaemon(true);
            burner.start();
        }
        closeLater(() -> busy.set(false));
        RedisServer server = start("--requirepass", "hunter2");
        RedisURI uri = RedisURI.create("redis://:hunter2@127.0.0.1:" + server.port());
        RedisClient shared = closeLater(RedisClient.create(uri));
        for (int i = 0; i < 400; i++) {
            try (RedisNode node = LettuceNodes.of(shared, uri, Environment.system())) {
                CountDownLatch subscribed = new CountDownLatch(1);
                node.subscribe("channel", subscribed::countDown);
                assertThat(node.call(RedisCommand.of("PING"), LONG)).isEqualTo("PONG");
                assertThat(subscribed.await(LONG.toSeconds(), TimeUnit.SECONDS))
                        .as("subscription %d", i)
                        .isTrue();
            }
        }
    }
}
