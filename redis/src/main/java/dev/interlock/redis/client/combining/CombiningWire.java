// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.Wire;
import dev.interlock.redis.client.jedis.JedisDialer;
import dev.interlock.redis.client.jedis.JedisWire;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Few connections that all threads share, and a pool of exclusive connections for transactions. */
final class CombiningWire implements Wire {
    private final Environment env;
    private final Failures failures;
    private final JedisDialer dialer;
    private final JedisWire pool;
    private final Connections connections;
    private final Set<CombiningLink> links = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Creates a wire. It connects when it is first used, and closes the given pool when it is closed.
     *
     * @param dialer opens connections that are not shared
     * @param pool the connections for transactions
     * @param connections those that all threads share
     */
    CombiningWire(Environment env, Failures failures, JedisDialer dialer, JedisWire pool, Connections connections) {
        this.env = env;
        this.failures = failures;
        this.dialer = dialer;
        this.pool = pool;
        this.connections = connections;
    }

    /** Runs the call on the current thread: no virtual thread uses the socket of a shared connection. */
    @Override
    public <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline) {
        return use.isExclusive() ? pool.run(use, call, deadline) : call.get();
    }

    @Override
    public Line open(Use use, Deadline deadline) {
        return use.isExclusive()
                ? pool.open(use, deadline)
                : new CombiningLine(env, failures, connections, use == Use.URGENT);
    }

    @Override
    public RedisLink openLink(Deadline deadline) {
        if (closed) {
            throw failures.closed(null);
        }
        CombiningLink link = new CombiningLink(env, failures, dialer, dialer.openChannel(deadline), links::remove);
        links.add(link);
        if (closed) {
            link.close();
        }
        return link;
    }

    @Override
    public @Nullable ServerAccess access() {
        return pool.access();
    }

    @Override
    public void close() {
        closed = true;
        links.forEach(CombiningLink::close);
        connections.close();
        pool.close();
    }
}
