// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Provides the strategy {@code redlock}. Found by {@link java.util.ServiceLoader}; programs that already have a client
 * use {@link RedlockLocks}. Safe to use from any thread.
 */
public final class RedlockStrategyProvider implements LockStrategyProvider {
    static final String NAME = "redlock";

    /** Creates the provider. */
    public RedlockStrategyProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public StrategyProfile profile() {
        return Settings.usualProfile();
    }

    @Override
    public List<StrategyOption> options() {
        return Settings.OPTIONS;
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        return newFactory(config, ConnectionSettings.of(config), Environment.system(), null);
    }

    /** Creates a factory over its own connections to the endpoints of a configuration. */
    static DistributedLockFactory newFactory(
            LockConfig config,
            ConnectionSettings connections,
            Environment env,
            @Nullable Consumer<AttemptReport> onAttempt) {
        Settings settings = Settings.of(config);
        settings.requireCount(config.endpoints().size());
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
        requireDistinct(endpoints);
        return RedlockProtocol.newFactory(
                servers(settings, endpoints, connections, env),
                joining(settings, endpoints, connections, env),
                settings,
                config,
                env,
                onAttempt);
    }

    /** Connects to the nodes without taking locks. */
    static RedlockOperations.Client newClient(LockConfig config, Environment env) {
        Settings settings = Settings.of(config);
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
        requireDistinct(endpoints);
        ConnectionSettings connections = ConnectionSettings.of(config);
        return RedlockOperations.Client.of(
                servers(settings, endpoints, connections, env),
                joining(settings, endpoints, connections, env),
                settings,
                config,
                env);
    }

    /** Creates nodes that other nodes have announced, with the settings of the configured ones. */
    private static RedlockProtocol.Joining joining(
            Settings settings, List<RedisEndpoint> endpoints, ConnectionSettings connections, Environment env) {
        return address -> {
            RedisEndpoint endpoint = endpoints.stream()
                    .filter(configured -> RedlockProtocol.Server.address(configured.toString())
                            .equals(address))
                    .findFirst()
                    .orElseGet(() -> at(endpoints.get(0), address));
            ConnectionSettings how = endpoint.tls() ? connections : connections.withoutCertificates();
            return servers(settings, List.of(endpoint), how, env).get(0);
        };
    }

    private static String address(RedisEndpoint endpoint) {
        return endpoint.host() + ":" + endpoint.port();
    }

    private static List<RedlockProtocol.Server> servers(
            Settings settings, List<RedisEndpoint> endpoints, ConnectionSettings connections, Environment env) {
        List<RedisNode> nodes = RedisNodes.open(settings.library(), endpoints, connections, env);
        List<RedlockProtocol.Server> servers = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            servers.add(new RedlockProtocol.Server(endpoints.get(i).toString(), nodes.get(i)));
        }
        return servers;
    }

    /** Returns the endpoint of a node that is not configured: clients log in to it as to the first one that is. */
    static RedisEndpoint at(RedisEndpoint like, String address) {
        int colon = address.lastIndexOf(':');
        return like.at(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    private static void requireDistinct(List<RedisEndpoint> endpoints) {
        Set<String> addresses = new HashSet<>();
        for (RedisEndpoint endpoint : endpoints) {
            if (!addresses.add(address(endpoint))) {
                throw new IllegalArgumentException("two endpoints are the server " + endpoint
                        + ", which can vote only once: name each server once");
            }
        }
    }
}
