// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.HelperThreads;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.Wire;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/**
 * Jedis connections: our own, of which a few are reserved for urgent calls, or those of a client that was handed in.
 */
public final class JedisWire implements Wire {
    /** Threads for virtual threads that use the connections of a client that was handed in. */
    private static final int USUAL_THREADS = 64;

    /** Renewals come in batches from few threads. */
    private static final int URGENT_CONNECTIONS = 2;

    private final Environment env;
    private final Failures failures;
    private final Optional<JedisDialer> dialer;
    private final Desk desk;
    private final Desk urgentDesk;

    /** For urgent calls that keep a connection while they wait for replicas, or for a transaction. */
    private final Desk urgentExclusiveDesk;

    private final Supplier<Connection> apart;

    /** Connections that the server has not answered on since are not used any more. */
    private volatile long doubtedBefore;

    /** Connections, and the threads that use them in place of virtual ones. */
    private record Desk(ConnectionPool pool, HelperThreads helpers) {
        void close() {
            helpers.close();
            pool.close();
        }
    }

    private JedisWire(
            Environment env,
            Failures failures,
            Optional<JedisDialer> dialer,
            IntFunction<ConnectionPool> pools,
            Supplier<Connection> apart,
            int threads) {
        this.env = env;
        this.failures = failures;
        this.dialer = dialer;
        IntFunction<Desk> desks = number -> new Desk(pools.apply(number), new HelperThreads(env, failures, number));
        this.desk = desks.apply(threads);
        this.urgentDesk = desks.apply(URGENT_CONNECTIONS);
        this.urgentExclusiveDesk = desks.apply(threads);
        this.apart = apart;
        this.doubtedBefore = env.nanoTime();
    }

    public static JedisWire own(Environment env, ServerAccess access) {
        JedisDialer dialer = new JedisDialer(env, access);
        int connections = access.settings().connections();
        return new JedisWire(
                env,
                access.failures(),
                Optional.of(dialer),
                number -> new OwnPool(access.failures(), dialer, number),
                dialer::open,
                connections);
    }

    public static JedisWire of(Environment env, Failures failures, Pool<Connection> handedIn) {
        HandedInPool pool = new HandedInPool(failures, handedIn);
        return new JedisWire(env, failures, Optional.empty(), number -> pool, pool::openApart, USUAL_THREADS);
    }

    @Override
    public @Nullable ServerAccess access() {
        return dialer.map(JedisDialer::access).orElse(null);
    }

    @Override
    public <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline) {
        return desk(use).helpers.run(call, deadline);
    }

    private Desk desk(Use use) {
        return switch (use) {
            case SHARED, EXCLUSIVE -> desk;
            case URGENT -> urgentDesk;
            case URGENT_EXCLUSIVE -> urgentExclusiveDesk;
        };
    }

    @Override
    public Line open(Use use, Deadline deadline) {
        ConnectionPool from = desk(use).pool;
        while (true) {
            Connection connection = from.borrow(deadline);
            if (!(connection instanceof JedisConnection mine) || prepare(from, mine, deadline)) {
                return new JedisLine(this, from, connection, failures);
            }
        }
    }

    /**
     * Prepares one of our connections for use. Returns {@code false}, and gives the connection up, if it is doubtful.
     */
    private boolean prepare(ConnectionPool from, JedisConnection connection, Deadline deadline) {
        try {
            if (!connection.isConnected()) {
                dialer.orElseThrow().dial(connection, deadline);
            } else if (connection.lastUsed() - doubtedBefore < 0) {
                from.discard(connection);
                return false;
            } else if (connection.isExpiring(env.nanoTime())) {
                dialer.orElseThrow().logInAgain(connection, deadline);
            }
            return true;
        } catch (LockBackendException e) {
            from.discard(connection);
            throw e;
        }
    }

    @Override
    public RedisLink openLink(Deadline deadline) {
        throw new UnsupportedOperationException("Jedis waits for each reply: use Lettuce to send without waiting");
    }

    /** Opens a connection outside of the pool, for subscriptions. */
    Connection openApart() {
        return apart.get();
    }

    long nanoTime() {
        return env.nanoTime();
    }

    /** Records that a request sent at that time got no reply: connections that were idle by then may be broken too. */
    public void doubt(long sentNanos) {
        if (sentNanos - doubtedBefore > 0) {
            doubtedBefore = sentNanos;
        }
        dialer.ifPresent(JedisDialer::doubt);
    }

    /** Closes our connections that are not in use. After one has broken, they are probably broken too. */
    public void discardIdle() {
        dialer.ifPresent(JedisDialer::doubt);
        desk.pool.discardIdle();
        urgentDesk.pool.discardIdle();
        urgentExclusiveDesk.pool.discardIdle();
    }

    @Override
    public void close() {
        desk.close();
        urgentDesk.close();
        urgentExclusiveDesk.close();
    }
}
