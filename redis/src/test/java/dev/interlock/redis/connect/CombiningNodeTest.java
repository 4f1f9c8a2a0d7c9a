// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** The tests of every node, over connections that all threads share. */
class CombiningNodeTest extends OwnConnectionsContract {
    private static final int CONNECTIONS = 2;

    @Override
    RedisNode open(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return RedisNodes.interlock(endpoint, settings, env);
    }

    @Override
    void useManyConnections(RedisServer server, RedisNode node) throws Exception {
        ExecutorService executor = closeLater(new Executor(CONNECTIONS)).service;
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(executor.submit(() -> node.call(BLOCKING, LONG)));
            // Two callers at once may choose the same connection.
            awaitBlockedClients(server, i + 1);
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            server.command("RPUSH", "list", "x");
        }
        for (Future<?> each : all) {
            each.get();
        }
    }
}
