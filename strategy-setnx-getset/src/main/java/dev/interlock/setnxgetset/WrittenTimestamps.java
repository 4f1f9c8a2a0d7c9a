// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The values that the key may have for one token: the last confirmed timestamp, and timestamps of requests without a
 * reply. Several threads may write for one token at once: the timer renews, and so does a holder that asks for more
 * validity. Safe to use from any thread.
 */
final class WrittenTimestamps {
    /** The last one is the most likely value. */
    private final List<Written> all = new ArrayList<>();

    private @Nullable Written lastConfirmed;
    private int writers;

    /** Whether the one who writes is to be the only one. */
    private boolean alone;

    /**
     * A timestamp that may be in the key.
     *
     * @param timestamp the timestamp
     * @param nanos when it was made, on the monotonic clock
     */
    record Written(Timestamp timestamp, long nanos) {
        String text() {
            return timestamp.text();
        }
    }

    WrittenTimestamps(List<Written> all) {
        this.all.addAll(all);
        this.lastConfirmed = all.isEmpty() ? null : all.get(all.size() - 1);
    }

    synchronized List<Written> all() {
        return List.copyOf(all);
    }

    /** The last timestamp that was the value of the key for certain; empty if there was none. */
    synchronized Optional<Written> lastConfirmed() {
        return Optional.ofNullable(lastConfirmed);
    }

    /**
     * A thread begins to write, perhaps several times: what it may find in the key is kept until {@link #end}.
     *
     * @param only whether no other thread may write meanwhile
     * @return whether it may begin
     */
    synchronized boolean begin(boolean only) {
        if (alone || (only && writers > 0)) {
            return false;
        }
        alone = only;
        writers++;
        return true;
    }

    synchronized void end() {
        // Whoever is alone is the only one who can end.
        alone = false;
        writers--;
    }

    /** Forgets all timestamps, and returns them. */
    synchronized List<Written> removeAll() {
        List<Written> removed = List.copyOf(all);
        all.clear();
        return removed;
    }

    /** Knows timestamps again that were forgotten before a request which was not carried out. */
    synchronized void putBack(List<Written> removed) {
        all.addAll(removed);
    }

    /** A timestamp is about to be sent. */
    synchronized void sending(Written next) {
        all.add(next);
    }

    /** A timestamp that was sent is the value of the key. */
    synchronized void confirmed(Written next) {
        if (writers == 1) {
            all.clear();
        } else {
            all.remove(all.lastIndexOf(next));
        }
        all.add(next);
        lastConfirmed = next;
    }

    /** A timestamp was sent, and not written. */
    synchronized void rejected(Written next) {
        all.remove(all.lastIndexOf(next));
    }
}
