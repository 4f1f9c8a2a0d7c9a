// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import java.util.ArrayList;
import java.util.List;

/**
 * The values that the key may have for one token: the last confirmed timestamp, and timestamps of requests without a
 * reply. Several threads may write for one token at once: the timer renews, and so does a holder that asks for more
 * validity. Safe to use from any thread.
 */
final class WrittenTimestamps {
    /** The last one is the most likely value. */
    private final List<Written> all = new ArrayList<>();

    private int writers;

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
    }

    synchronized List<Written> all() {
        return List.copyOf(all);
    }

    /** A thread begins to write, perhaps several times: what it may find in the key is kept until {@link #end}. */
    synchronized void begin() {
        writers++;
    }

    synchronized void end() {
        writers--;
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
    }

    /** A timestamp was sent, and not written. */
    synchronized void rejected(Written next) {
        all.remove(all.lastIndexOf(next));
    }
}
