// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import io.lettuce.core.RedisURI;
import java.util.List;

/** Writes endpoints as Lettuce has them. */
final class LettuceUris {
    private LettuceUris() {}

    static List<RedisURI> of(List<RedisEndpoint> servers) {
        return servers.stream().map(LettuceUris::of).toList();
    }

    static RedisURI of(RedisEndpoint server) {
        RedisURI.Builder builder = RedisURI.builder()
                .withHost(server.host())
                .withPort(server.port())
                .withSsl(server.tls())
                .withDatabase(server.database());
        logIn(builder, server);
        return builder.build();
    }

    static RedisURI of(RedisTopology.Sentinel topology) {
        RedisURI.Builder builder = RedisURI.builder()
                .withSentinelMasterId(topology.masterName())
                .withSsl(topology.login().tls())
                .withDatabase(topology.login().database());
        logIn(builder, topology.login());
        topology.sentinels().forEach(sentinel -> builder.withSentinel(of(sentinel)));
        return builder.build();
    }

    private static void logIn(RedisURI.Builder builder, RedisEndpoint server) {
        server.password().ifPresent(password -> {
            if (server.username().isPresent()) {
                builder.withAuthentication(server.username().get(), password);
            } else {
                builder.withPassword(password.toCharArray());
            }
        });
    }
}
