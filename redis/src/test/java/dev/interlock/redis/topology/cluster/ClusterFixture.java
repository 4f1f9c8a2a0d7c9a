// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster, and the nodes that lead to it. */
final class ClusterFixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    static final Duration LONG = Duration.ofSeconds(60);

    final ClusterServers servers;
    private final List<RedisNode> nodes = new ArrayList<>();

    ClusterFixture(int primaries, int replicasEach) {
        servers = ClusterServers.start(primaries, replicasEach);
    }

    RedisNode node(ClientLibrary library) {
        return node(library, servers.uri());
    }

    RedisNode node(ClientLibrary library, String uri) {
        LockConfig config =
                LockConfig.builder().endpoints(uri).commandTimeout(LONG).build();
        RedisNode node = RedisNodes.open(library, config, Environment.system());
        nodes.add(node);
        return node;
    }

    /** Returns a node that is closed with the others. */
    RedisNode closeLater(RedisNode node) {
        nodes.add(node);
        return node;
    }

    /** Returns the primary that serves a key. */
    RedisServer owner(String key) {
        return servers.nodeOfSlot(servers.slotOf(key));
    }

    /** Returns a primary that does not serve a key. */
    RedisServer stranger(String key) {
        RedisServer owner = owner(key);
        return servers.primaries().stream()
                .filter(server -> !server.equals(owner))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a key that a primary serves. */
    String keyOn(RedisServer server, String prefix) {
        for (int i = 0; ; i++) {
            String key = prefix + i;
            if (owner(key).equals(server)) {
                return key;
            }
        }
    }

    static Object call(RedisNode node, String name, String... arguments) {
        return node.call(RedisCommand.of(name, arguments), LONG);
    }

    /** Records the events of a channel. */
    static final class Heard implements RedisNode.Listener {
        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void begun() {
            all.add("begun");
        }

        @Override
        public void ended() {
            all.add("ended");
        }

        @Override
        public void message(String text) {
            all.add(text);
        }
    }

    void closeNodes() {
        nodes.forEach(RedisNode::close);
        nodes.clear();
    }

    @Override
    public void close() {
        closeNodes();
        servers.close();
    }
}
