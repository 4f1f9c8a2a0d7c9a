// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The threads that Lettuce starts for nodes end with them. */
@Isolated("looks at all threads of the JVM")
class LettuceThreadsTest {
    private static final RedisCommand PING = RedisCommand.of("PING");
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final ConnectionSettings SETTINGS =
            ConnectionSettings.of(LockConfig.builder().build());

    private Set<Thread> before;

    @BeforeEach
    void lookAtThreads() {
        before = eventLoops();
    }

    private static Set<Thread> eventLoops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce-nioEventLoop"))
                .collect(Collectors.toSet());
    }

    private void awaitNoneIsLeft() {
        await().atMost(LONG).untilAsserted(() -> assertThat(before).containsAll(eventLoops()));
    }

    @Test
    void theyEndWithTheNode() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisNode node = RedisNodes.lettuce(RedisEndpoint.parse(server.uri()), SETTINGS, Environment.system());
            node.call(PING, LONG);
            CountDownLatch subscribed = new CountDownLatch(1);
            node.subscribe("channel", subscribed::countDown);
            assertThat(subscribed.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(eventLoops()).isNotEqualTo(before);

            node.close();

            awaitNoneIsLeft();
        }
    }

    @Test
    void nodesThatShareThreadsEndThemWithTheLastOne() throws Exception {
        try (RedisServer first = RedisServer.start();
                RedisServer second = RedisServer.start()) {
            List<RedisNode> nodes = RedisNodes.lettuce(
                    List.of(RedisEndpoint.parse(first.uri()), RedisEndpoint.parse(second.uri())),
                    SETTINGS,
                    Environment.system());
            RedisLink link = nodes.get(1).openLink(LONG);
            assertThat(ping(nodes.get(0).openLink(LONG))).isEqualTo(new RedisLink.Reply.Value("PONG"));

            nodes.get(0).close();
            assertThat(ping(link)).isEqualTo(new RedisLink.Reply.Value("PONG"));
            nodes.get(1).close();

            awaitNoneIsLeft();
        }
    }

    private static RedisLink.Reply ping(RedisLink link) throws Exception {
        CompletableFuture<RedisLink.Reply> reply = new CompletableFuture<>();
        link.send(PING, reply::complete);
        link.flush();
        return reply.get(20, TimeUnit.SECONDS);
    }
}
