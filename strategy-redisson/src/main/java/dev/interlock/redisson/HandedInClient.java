// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import java.time.Duration;
import java.util.Optional;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The client of the application, which stays open. */
record HandedInClient(RedissonClient client) implements ClientSource {
    @Override
    public Config config() {
        return client.getConfig();
    }

    /** Asks a topic, since a mapper may be set in several places, of which only Redisson knows which counts. */
    @Override
    public String map(String name) {
        return client.getTopic(name).getChannelNames().get(0);
    }

    @Override
    public RedissonClient get(Duration timeout) {
        return client;
    }

    @Override
    public Optional<RedissonClient> ifConnected() {
        return Optional.of(client);
    }

    @Override
    public void close() {}
}
