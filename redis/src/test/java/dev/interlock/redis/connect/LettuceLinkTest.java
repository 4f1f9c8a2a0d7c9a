// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.RedisEndpoint;
import org.junit.jupiter.api.Test;

/** Links of Lettuce. */
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
}
