// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values that the key may have for one token: the last confirmed timestamp, and timestamps of requests without a
 * reply. Several threads may write for one token at once: the timer renews, and so does a holder that asks for more
 * validity. Safe to use from any thread.
 */
final class WrittenTimestamps {
    /**
     * In the order in which they are sent. Each is sent only to replace one that is here already, so they can become
     * the value of the key in this order only, and the last one is the most likely value.
     */
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
        static Written make(TimestampFormat format, long nowMillis, Duration lease, Environment env) {
            return new Written(format.write(nowMillis, lease, env), env.nanoTime());
        }

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

    /** The most likely value of the key; empty if none is known. */
    synchronized Optional<Written> last() {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /** Returns the known timestamp with a text; empty if somebody else has written that. */
    synchronized Optional<Written> find(String text) {
        return all.stream().filter(it -> it.text().equals(text)).findFirst();
    }

    /**
     * Returns the timestamp that the key should have, if it has not passed; otherwise the lock is lost.
     *
     * @param unique whether nobody else writes the same timestamps
     */
    synchronized Optional<Written> expected(boolean unique, long nowMillis) {
        // Then somebody else may have written a number that a renewal without a reply has sent.
        if (!unique && lastConfirmed != null && lastConfirmed.timestamp().millis() < nowMillis) {
            return Optional.empty();
        }
        return last().filter(it -> it.timestamp().millis() >= nowMillis);
    }

    /**
     * Writes if the key has one of the timestamps and it has not passed. Otherwise returns the cause of the loss.
     *
     * @param unique whether nobody else writes the same timestamps
     * @param writeIfEqual writes if the key has a text, and returns what the key had
     */
    Optional<LossCause> ifMine(boolean unique, long nowMillis, Function<String, @Nullable String> writeIfEqual) {
        Optional<Written> expected = expected(unique, nowMillis);
        while (expected.isPresent() && expected.get().timestamp().millis() >= nowMillis) {
            String text = expected.get().text();
            String holder = writeIfEqual.apply(text);
            if (text.equals(holder)) {
                return Optional.empty();
            }
            if (holder == null) {
                return Optional.of(LossCause.GONE);
            }
            // Looked up anew each time: another renewal may be on its way.
            expected = find(holder);
            if (expected.isEmpty()) {
                return Optional.of(LossCause.TAKEN);
            }
        }
        return Optional.of(LossCause.GONE);
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

    /**
     * A timestamp that was sent became the value of the key. Another thread may have replaced it before the reply came.
     */
    synchronized void confirmed(Written next) {
        int place = all.lastIndexOf(next);
        if (lastConfirmed == null || all.lastIndexOf(lastConfirmed) < place) {
            lastConfirmed = next;
        }
        if (writers == 1) {
            // Another writer may have found an earlier one, and may not have looked it up yet.
            all.subList(0, place).clear();
        }
    }

    /** A timestamp was sent, and not written. */
    synchronized void rejected(Written next) {
        all.remove(all.lastIndexOf(next));
    }
}
