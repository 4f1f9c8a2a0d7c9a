// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Opens the connections of Spring Data Redis, over Lettuce as Spring Boot does. */
final class LettuceConnections {
    private LettuceConnections() {}

    /** Connects to the first server. */
    static LettuceConnectionFactory open(LockConfig config) {
        RedisEndpoint server = RedisEndpoint.allOf(config).get(0);
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
        address.setDatabase(server.database());
        server.username().ifPresent(address::setUsername);
        server.password().ifPresent(address::setPassword);
        LettuceClientConfiguration.LettuceClientConfigurationBuilder client =
                LettuceClientConfiguration.builder().commandTimeout(config.commandTimeout());
        if (server.tls()) {
            client.useSsl();
        }
        LettuceConnectionFactory connections = new LettuceConnectionFactory(address, client.build());
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
