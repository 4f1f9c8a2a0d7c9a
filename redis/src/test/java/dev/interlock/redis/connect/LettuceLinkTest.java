// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Links of Lettuce. */
@ExtendWith(OwnThreads.class)
class LettuceLinkTest extends RedisLinkContract {
    @Override
    ClientLibrary library() {
        return ClientLibrary.LETTUCE;
    }

    @Test
    void jedisHasNoLinks() {
        RedisNode node =
                closeLater(RedisNodes.jedis(RedisEndpoint.parse("redis://localhost"), CONFIG, Environment.system()));
        assertThatThrownBy(() -> node.openLink(LONG))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Lettuce");
    }

    @Test
    void nodesThatShareThreadsEndThemWithTheLastOne() {
        List<RedisEndpoint> endpoints = List.of(RedisEndpoint.parse(start().uri()), RedisEndpoint.parse(start().uri()));
        List<RedisNode> nodes = RedisNodes.lettuce(endpoints, ConnectionSettings.of(CONFIG), Environment.system());
        RedisLink link = nodes.get(1).openLink(LONG);
        assertThat(value(send(nodes.get(0).openLink(LONG), RedisCommand.of("PING"))))
                .isEqualTo("PONG");
        nodes.get(0).close();
        assertThat(value(send(link, RedisCommand.of("PING")))).isEqualTo("PONG");
        nodes.get(1).close();
        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(OwnThreads.ofNodes()).noneMatch(name -> name.startsWith("lettuce-nioEventLoop")));
    }
}
