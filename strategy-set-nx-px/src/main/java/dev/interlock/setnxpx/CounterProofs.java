// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Proofs that the counter of a name has lost no data since this client set it by the server's time: that was less than
 * a second ago, and all connections are the same since then. Of names with the same hash only the last is kept, so that
 * a million names take no more memory than a few thousand. Safe to use from any thread.
 */
final class CounterProofs {
    /** Shorter than any failover that our connections do not notice. */
    private static final long LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int PLACES = 1 << 12;

    private final AtomicReferenceArray<@Nullable Proof> proofs = new AtomicReferenceArray<>(PLACES);

    /**
     * A counter as it was set by the server's time.
     *
     * @param value the value of the counter then, and its least value now if no data was lost
     * @param sentNanos a moment before the request was sent
     * @param generation the generation of the connections, then and at the answer
     */
    private record Proof(String name, long value, long sentNanos, long generation) {}

    /** Returns the least value of a counter if no data was lost, or -1 if it is not known. */
    long atLeast(String name, long generation, long nowNanos) {
        Proof proof = proofs.get(place(name));
        return proof != null
                        && proof.generation == generation
                        && proof.name.equals(name)
                        && nowNanos - proof.sentNanos < LIFE_NANOS
                ? proof.value
                : -1;
    }

    /** Notes that a counter was set by the server's time; has no effect if the generation is not known. */
    void note(String name, long value, long sentNanos, long generation) {
        if (generation >= 0) {
            proofs.set(place(name), new Proof(name, value, sentNanos, generation));
        }
    }

    /** Forgets the proof for a counter, until it is set by the server's time again. */
    void forget(String name) {
        int place = place(name);
        Proof proof = proofs.get(place);
        if (proof != null && proof.name.equals(name)) {
            proofs.compareAndSet(place, proof, null);
        }
    }

    private static int place(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
