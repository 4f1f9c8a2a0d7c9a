// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.jedis.JedisDialer;
import dev.interlock.redis.client.jedis.JedisWire;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The shared connections to a server, and the choice between them. */
final class Connections {
    private final Environment env;
    private final Failures failures;
    private final JedisDialer dialer;
    private final JedisWire pool;
    private final AtomicReferenceArray<@Nullable SharedConnection> slots;
    private volatile boolean closed;

    /**
     * Creates connections that are opened when they are used.
     *
     * @param pool other connections to the server, which are checked too when one of these turns out to be broken
     * @param number how many to open at most
     */
    Connections(Environment env, Failures failures, JedisDialer dialer, JedisWire pool, int number) {
        this.env = env;
        this.failures = failures;
        this.dialer = dialer;
        this.pool = pool;
        this.slots = new AtomicReferenceArray<>(number);
    }

    /**
     * Returns the first connection without users, so that no more are opened than needed, or else the one with the
     * fewest users.
     */
    SharedConnection choose() {
        SharedConnection best = at(0);
        int fewest = best.users();
        for (int i = 1; i < slots.length() && fewest > 0; i++) {
            SharedConnection other = at(i);
            int users = other.users();
            if (users < fewest) {
                best = other;
                fewest = users;
            }
        }
        return best;
    }

    private SharedConnection at(int index) {
        while (true) {
            SharedConnection present = slots.get(index);
            if (present != null && !present.isRetired()) {
                return present;
            }
            if (closed) {
                throw failures.closed(null);
            }
            SharedConnection fresh = new SharedConnection(env, failures, dialer, this::doubtSilentSince);
            if (slots.compareAndSet(index, present, fresh)) {
                if (closed) {
                    fresh.retire();
                }
                return fresh;
            }
        }
    }

    /** Retires the connections on which the server has not answered since. */
    private void doubtSilentSince(long nanoTime) {
        retireIf(connection -> connection.heardNanos() - nanoTime < 0);
        pool.doubt(nanoTime);
    }

    /** Retires the connections that were opened before; those opened since may lead to another process. */
    void retireOpenedBefore(long nanoTime) {
        retireIf(connection -> connection.openedNanos() - nanoTime < 0);
        pool.discardIdle();
    }

    private void retireIf(Predicate<SharedConnection> condition) {
        for (int i = 0; i < slots.length(); i++) {
            SharedConnection present = slots.get(i);
            if (present != null && !present.isRetired() && present.isOpen() && condition.test(present)) {
                present.retire();
            }
        }
    }

    /** Accepts no more calls. Calls that wait for replies still get them. */
    void close() {
        closed = true;
        for (int i = 0; i < slots.length(); i++) {
            SharedConnection present = slots.get(i);
            if (present != null) {
                present.retire();
            }
        }
    }
}
