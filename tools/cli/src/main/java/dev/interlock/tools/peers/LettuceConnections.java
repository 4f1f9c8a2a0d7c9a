// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.Map;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/** Opens the connections of Spring Data Redis, over Lettuce as Spring Boot does. */
final class LettuceConnections {
    private LettuceConnections() {}

    /** Connects to the first server. */
    static LettuceConnectionFactory open(LockConfig config) {
        LettuceConnectionFactory connections = to(config);
        connections.start();
        return connections;
    }

    /** Reads the settings that the connections to a server have. */
    static Map<String, String> configuration(LockConfig config) {
        LettuceConnectionFactory connections = to(config);
        try {
            LettuceClientConfiguration client = connections.getClientConfiguration();
            return Map.of(
                    "client",
                    "Lettuce",
                    "lettuce.commandTimeout",
                    client.getCommandTimeout().toMillis() + " ms",
                    "lettuce.shareNativeConnection",
                    String.valueOf(connections.getShareNativeConnection()),
                    "lettuce.pool",
                    client instanceof LettucePoolingClientConfiguration ? "yes" : "none");
        } finally {
            connections.destroy();
        }
    }

    private static LettuceConnectionFactory to(LockConfig config) {
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
        return connections;
    }
}
