// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster that have been used, each with its connections. Safe to use from any thread. */
final class ClusterNodes {
    /** The time for which a node that has left keeps its connections, for callers that still wait for its replies. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Environment env;
    private final ServerConnector connector;
    private final Runnable onChannelMoved;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RedisEndpoint, ClientNode> nodes = new HashMap<>();

    /** The times since which nodes have been missing from the table. */
    private final Map<RedisEndpoint, Long> missing = new HashMap<>();

    private boolean closed;

    ClusterNodes(Environment env, ServerConnector connector, Runnable onChannelMoved) {
        this.env = env;
        this.connector = connector;
        this.onChannelMoved = onChannelMoved;
    }

    /**
     * Returns the node at an address, creating it when it is first needed.
     *
     * @throws dev.interlock.LockBackendException if a client that was handed in does not know it
     */
    ClientNode node(RedisEndpoint endpoint) {
        ClientNode present = find(endpoint);
        if (present != null) {
            return present;
        }
        // Not under the lock, since a client that was handed in may ask its servers for the address first.
        ClientNode made = connector.connect(endpoint);
        made.onChannelMoved(onChannelMoved);
        ClientNode kept = keep(endpoint, made);
        if (!kept.equals(made) || isClosed()) {
            // The node itself reports that it is closed.
            made.close();
        }
        return kept;
    }

    /** Returns the node at an address if it was needed before. */
    @Nullable
    ClientNode find(RedisEndpoint endpoint) {
        lock.lock();
        try {
            return nodes.get(endpoint);
        } finally {
            lock.unlock();
        }
    }

    private ClientNode keep(RedisEndpoint endpoint, ClientNode made) {
        lock.lock();
        try {
            ClientNode other = closed ? null : nodes.putIfAbsent(endpoint, made);
            return other == null ? made : other;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the nodes that have been missing for a while. May block while connections end. */
    void retain(Collection<RedisEndpoint> present) {
        List<ClientNode> left = new ArrayList<>();
        long now = env.nanoTime();
        lock.lock();
        try {
            missing.keySet().removeAll(present);
            for (RedisEndpoint each : List.copyOf(nodes.keySet())) {
                if (!present.contains(each) && now - missing.computeIfAbsent(each, endpoint -> now) >= GRACE_NANOS) {
                    missing.remove(each);
                    left.add(nodes.remove(each));
                }
            }
        } finally {
            lock.unlock();
        }
        left.forEach(ClientNode::close);
    }

    void close() {
        List<ClientNode> all;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(nodes.values());
            nodes.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(ClientNode::close);
        connector.close();
    }
}
