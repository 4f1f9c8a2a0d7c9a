// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.engine.environment.Environment;
import dev.interlock.setnxgetset.WrittenTimestamps.Written;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Trusts no timestamp: a lock is free once the same timestamp has been seen for a whole lease, on this client's
 * monotonic clock.
 *
 * @see
 *     <a href="https://aws.amazon.com/blogs/database/building-distributed-locks-with-the-dynamodb-lock-client/">Building
 *     Distributed Locks with the DynamoDB Lock Client</a>
 */
final class ObservingClock implements ExpiryClock {
    /** The most sightings that are kept. A forgotten one only delays the next acquisition. */
    private static final int MAX_SIGHTINGS = 10_000;

    private final Environment env;
    private final Duration longestLease;
    private final ReentrantLock mutex = new ReentrantLock();

    private final Map<String, Sighting> sightings = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Sighting> eldest) {
            return size() > MAX_SIGHTINGS;
        }
    };

    /** The value of a key, and the time since which this client has seen it. */
    private record Sighting(String text, long sinceNanos) {}

    /**
     * Creates the clock.
     *
     * @param longestLease the lease that is assumed for a timestamp that does not contain its own
     */
    ObservingClock(Environment env, Duration longestLease) {
        this.env = env;
        this.longestLease = longestLease;
    }

    @Override
    public long nowMillis(String key, Duration timeout) {
        return env.currentTimeMillis();
    }

    @Override
    public Optional<Duration> left(String key, Timestamp seen, long nowMillis) {
        long nanos = env.nanoTime();
        mutex.lock();
        try {
            Sighting last = sightings.get(key);
            if (last == null || !last.text.equals(seen.text())) {
                last = new Sighting(seen.text(), nanos);
                sightings.put(key, last);
            }
            Duration lease = seen.lease().orElse(longestLease);
            // The holder's clock may be slower than this one.
            Duration left = lease.plus(lease.dividedBy(100)).minusNanos(nanos - last.sinceNanos);
            return left.isNegative() ? Optional.empty() : Optional.of(left);
        } finally {
            mutex.unlock();
        }
    }

    /** Other clients wait for the lease that the timestamp contains, whatever this machine's wall clock shows. */
    @Override
    public Duration leaseUntil(TimestampFormat format, Written mine, long nowMillis) {
        return mine.timestamp().lease().orElse(Duration.ZERO).minusNanos(env.nanoTime() - mine.nanos());
    }

    @Override
    public void forget(String key) {
        mutex.lock();
        try {
            sightings.remove(key);
        } finally {
            mutex.unlock();
        }
    }
}
