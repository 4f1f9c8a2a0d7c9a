// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.RedisEndpoint;
import dev.interlock.engine.Environment;

class JedisNodeTest extends OwnConnectionsContract {
    @Override
    RedisNode open(String uri, Environment env) {
        return RedisNodes.jedis(RedisEndpoint.parse(uri), CONFIG, env);
    }
}
