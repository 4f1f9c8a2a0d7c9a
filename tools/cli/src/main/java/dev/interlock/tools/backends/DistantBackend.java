// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Embedded servers behind proxies that delay each reply, as a network does. Closing this does not close the servers.
 */
public final class DistantBackend implements Backend {
    private final EmbeddedBackend near;
    private final List<FaultProxy> proxies = new ArrayList<>();

    /** Puts a proxy in front of each server. */
    public DistantBackend(EmbeddedBackend near, Duration roundTrip) {
        this.near = near;
        for (RedisServer server : near.servers()) {
            FaultProxy proxy = FaultProxy.to(server);
            proxy.delayReplies(roundTrip);
            proxies.add(proxy);
        }
    }

    @Override
    public String endpoints() {
        return proxies.stream().map(FaultProxy::uri).collect(Collectors.joining(","));
    }

    @Override
    public String redisVersion() {
        return near.redisVersion();
    }

    @Override
    public long commands(Runnable work) {
        return near.commands(work);
    }

    @Override
    public Counting counting() {
        return near.counting();
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::close);
    }
}
