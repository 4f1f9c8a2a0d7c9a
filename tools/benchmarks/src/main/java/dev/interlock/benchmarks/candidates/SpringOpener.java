// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Opens Spring Integration's lock registry over Lettuce, which renews only where it is given a scheduler. */
public final class SpringOpener implements Opener {
    /** The option that says how waiters learn of a release, a {@link RedisLockType}. */
    static final String TYPE = "type";

    private static final String REGISTRY = "bench";

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(configuration(new Addresses(endpoints)));
        connections.afterPropertiesSet();
        connections.start();
        RedisLockRegistry registry = new RedisLockRegistry(connections, REGISTRY, terms.lease());
        registry.setRedisLockType(RedisLockType.valueOf(Objects.requireNonNull(options.get(TYPE), TYPE)));
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        if (terms.renewed()) {
            scheduler.setDaemon(true);
            scheduler.initialize();
            registry.setRenewalTaskScheduler(scheduler);
        }
        return new LockClient(registry::obtain, () -> {
            scheduler.shutdown();
            registry.destroy();
            connections.destroy();
        });
    }

    private static RedisConfiguration configuration(Addresses servers) {
        if (servers.areSentinels()) {
            return new RedisSentinelConfiguration(servers.primaryName(), servers.map(URI::getAuthority));
        }
        if (servers.areNodesOfACluster()) {
            return new RedisClusterConfiguration(servers.map(URI::getAuthority));
        }
        return new RedisStandaloneConfiguration(
                servers.first().getHost(), servers.first().getPort());
    }
}
