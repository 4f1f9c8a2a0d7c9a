// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.RedisEndpoint;

class LettuceNodeTest extends OwnConnectionsContract {
    @Override
    RedisNode open(String uri, Environment env) {
        return RedisNodes.lettuce(RedisEndpoint.parse(uri), CONFIG, env);
    }
}
