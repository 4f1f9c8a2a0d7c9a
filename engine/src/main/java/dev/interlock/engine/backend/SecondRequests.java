// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.LeaseProtocol;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Decides whether a failed request is sent a second time. It is if the backend has answered this factory before: then
 * the failure may be due to a connection that ended with the backend's previous process. Safe to use from any thread.
 */
public final class SecondRequests {
    /** The least time for a connection and an answer. */
    private static final Duration LEAST = Duration.ofMillis(10);

    private final Environment env;
    private final LeaseProtocol protocol;

    private volatile boolean everAnswered;

    /** The lanes on which the second request failed too, and no request was answered since. */
    private final Set<String> silentLanes = ConcurrentHashMap.newKeySet();

    public SecondRequests(Environment env, LeaseProtocol protocol) {
        this.env = env;
        this.protocol = protocol;
    }

    /** Notes that the backend has answered for a lock. */
    public void answered(String name) {
        if (!everAnswered) {
            everAnswered = true;
        }
        if (!silentLanes.isEmpty()) {
            silentLanes.remove(protocol.lane(name));
        }
    }

    /**
     * Notes that the second request for a lock failed too, so that there are no second requests until the next answer.
     */
    public void failedAgain(String name) {
        silentLanes.add(protocol.lane(name));
    }

    /**
     * Tells how much time is left to ask once more after a request that failed.
     *
     * @param name the lock that was asked for
     * @param failure why the request failed
     * @param startNanos when the request began
     * @param timeout how long it might have taken
     * @return what is left of the time-out; zero if asking again at once is of no use
     */
    public Duration leftToAskAgain(String name, LockBackendException failure, long startNanos, Duration timeout) {
        if (failure.reason() == Reason.REFUSED || !everAnswered || silentLanes.contains(protocol.lane(name))) {
            return Duration.ZERO;
        }
        Duration left = timeout.minusNanos(env.nanoTime() - startNanos);
        return left.compareTo(LEAST) < 0 ? Duration.ZERO : left;
    }

    /**
     * Sends a request about a lock that may safely be repeated. If it fails and a second one may help, sends it once
     * more.
     *
     * @param name the lock
     * @param timeout how long one request may take
     * @param request what to ask
     * @return the answer
     * @throws LockBackendException if no request was answered
     */
    public <T> T ask(String name, Duration timeout, Supplier<T> request) {
        long startNanos = env.nanoTime();
        T answer;
        try {
            answer = request.get();
        } catch (LockBackendException e) {
            if (leftToAskAgain(name, e, startNanos, timeout).isZero()) {
                throw e;
            }
            answer = askAgain(name, request);
        }
        answered(name);
        return answer;
    }

    private <T> T askAgain(String name, Supplier<T> request) {
        try {
            return request.get();
        } catch (LockBackendException e) {
            failedAgain(name);
            throw e;
        }
    }
}
