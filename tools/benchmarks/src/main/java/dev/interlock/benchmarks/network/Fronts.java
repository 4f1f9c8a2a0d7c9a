// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.RedisServer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ports at which the clients of a measurement find its servers: those of a proxy, or the servers' own. */
final class Fronts implements AutoCloseable {
    private final @Nullable DelayProxyProcess proxy;
    private final Map<RedisServer, Integer> ports = new HashMap<>();

    Fronts(@Nullable DelayProxyProcess proxy) {
        this.proxy = proxy;
    }

    /** Returns whether servers have other ports for clients than their own. */
    boolean areProxies() {
        return proxy != null;
    }

    /** Returns the port where clients find a server, always the same one. */
    int of(RedisServer server) {
        DelayProxyProcess opened = proxy;
        return opened == null ? server.port() : ports.computeIfAbsent(server, key -> opened.open(key.port()));
    }

    @Override
    public void close() {
        if (proxy != null) {
            ports.values().forEach(proxy::close);
        }
    }
}
