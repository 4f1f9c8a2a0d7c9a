// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.util.List;

class LettuceNodeTest extends OwnConnectionsContract {
    @Override
    RedisNode open(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return RedisNodes.lettuce(endpoint, settings, env);
    }

    @Override
    void useManyConnections(RedisServer server, RedisNode node) throws Exception {
        super.useManyConnections(server, node);
        node.transactIfEqual("absent", "x", List.of(PING), LONG);
    }
}
