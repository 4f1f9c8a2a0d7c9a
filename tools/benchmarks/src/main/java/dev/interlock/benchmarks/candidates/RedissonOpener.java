// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Opens Redisson clients with their default settings; with several servers, one client for each. */
public final class RedissonOpener implements Opener {
    /** The option that chooses one of Redisson's locks. */
    static final String KIND = "kind";

    static final String RLOCK = "rlock";
    static final String FENCED = "rfencedlock";
    static final String SPIN = "rspinlock";
    static final String REDLOCK = "redlock";

    @Override
    public boolean hasReadWriteLocks(Map<String, String> options) {
        return options.getOrDefault(KIND, RLOCK).equals(RLOCK);
    }

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        List<RedissonClient> clients = clients(new Addresses(endpoints), terms);
        RedissonClient first = clients.get(0);
        String kind = options.getOrDefault(KIND, RLOCK);
        Function<String, Lock> locks = switch (kind) {
            case RLOCK -> first::getLock;
            case FENCED -> first::getFencedLock;
            case SPIN -> first::getSpinLock;
            case REDLOCK -> name -> redLock(clients, name);
            default -> throw new IllegalArgumentException("Redisson has no " + kind);
        };
        return new LockClient(
                locks,
                first::getReadWriteLock,
                names -> multiLock(first, names),
                () -> clients.forEach(RedissonClient::shutdown));
    }

    private static List<RedissonClient> clients(Addresses servers, Terms terms) {
        String[] addresses = servers.asRedisUris().toArray(String[]::new);
        if (servers.areSentinels()) {
            return List.of(open(
                    terms,
                    config -> config.useSentinelServers()
                            .setMasterName(servers.primaryName())
                            .addSentinelAddress(addresses)));
        }
        if (servers.areNodesOfACluster()) {
            return List.of(open(terms, config -> config.useClusterServers().addNodeAddress(addresses)));
        }
        return Stream.of(addresses)
                .map(address -> open(terms, config -> config.useSingleServer().setAddress(address)))
                .toList();
    }

    private static RedissonClient open(Terms terms, Consumer<Config> servers) {
        Config config = new Config();
        config.setLockWatchdogTimeout(terms.lease().toMillis());
        servers.accept(config);
        return Redisson.create(config);
    }

    private static Lock multiLock(RedissonClient client, List<String> names) {
        return client.getMultiLock(names.stream().map(client::getLock).toArray(RLock[]::new));
    }

    @SuppressWarnings("deprecation") // It is what people use who want several servers.
    private static Lock redLock(List<RedissonClient> clients, String name) {
        return new RedissonRedLock(
                clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
    }
}
