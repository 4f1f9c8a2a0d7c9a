// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The client of the application, which stays open. */
final class HandedInClient implements ClientSource {
    private final RedissonClient client;

    /** Connects the client; null if it was connected when it was created. */
    private final @Nullable Connector connector;

    HandedInClient(RedissonClient client, RedissonFailures failures, Environment env) {
        this.client = client;
        this.connector = client.getConfig().isLazyInitialization() ? new Connector(client, failures, env) : null;
    }

    @Override
    public Config config() {
        return client.getConfig();
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /**
     * Asks a topic for its mapped name, since a mapper may be set in several places, and only Redisson knows which
     * applies.
     */
    @Override
    public String map(String name) {
        return client.getTopic(name).getChannelNames().get(0);
    }

    @Override
    public RedissonClient get(Duration timeout) {
        return connector == null ? client : connector.get(timeout);
    }

    @Override
    public Optional<RedissonClient> ifConnected() {
        return connector == null ? Optional.of(client) : connector.ifConnected();
    }

    @Override
    public void close() {
        if (connector != null) {
            connector.close();
        }
    }
}
