// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Opens Redisson clients as they come; where there are several servers, one for each. */
public final class RedissonOpener implements Opener {
    /** Which of Redisson's locks. */
    static final String KIND = "kind";

    static final String RLOCK = "rlock";
    static final String FENCED = "rfencedlock";
    static final String SPIN = "rspinlock";
    static final String REDLOCK = "redlock";

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        List<RedissonClient> clients =
                endpoints.stream().map(server -> open(server, terms)).toList();
        RedissonClient first = clients.get(0);
        String kind = options.getOrDefault(KIND, RLOCK);
        Function<String, Lock> locks = switch (kind) {
            case RLOCK -> first::getLock;
            case FENCED -> first::getFencedLock;
            case SPIN -> first::getSpinLock;
            case REDLOCK -> name -> redLock(clients, name);
            default -> throw new IllegalArgumentException("Redisson has no " + kind);
        };
        return new LockClient(locks, () -> clients.forEach(RedissonClient::shutdown));
    }

    private static RedissonClient open(URI server, Terms terms) {
        Config config = new Config();
        config.setLockWatchdogTimeout(terms.lease().toMillis());
        config.useSingleServer().setAddress(server.toString());
        return Redisson.create(config);
    }

    @SuppressWarnings("deprecation") // It is what people use who want several servers.
    private static Lock redLock(List<RedissonClient> clients, String name) {
        return new RedissonRedLock(
                clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
    }
}
