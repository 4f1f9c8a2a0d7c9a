// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redlock.release.Outbox;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one node that wait to be sent, in their order, and the releases that could not be delivered. Guarded by the lock of the
 * {@link NodeLine}, but for {@link #isEmpty}.
 */
final class Backlog {
    /** Nobody waits for most of the requests of a longer queue: they are releases, which the outbox keeps in less memory. */
    private static final int MOST_RELEASES = 4_096;

    private final Set<Request> waiting = new LinkedHashSet<>();
    private final Outbox outbox = new Outbox();
    private volatile boolean empty = true;

    /** Whether there is nothing to send; may be called without the lock. */
    boolean isEmpty() {
        return empty;
    }

    /** Whether no more releases should wait here. */
    boolean isFull() {
        return waiting.size() >= MOST_RELEASES;
    }

    void add(Request request) {
        waiting.add(request);
        empty = false;
    }

    /** Keeps a release until there is a connection that has room for it. */
    void addUndelivered(Outbox.Undelivered release) {
        outbox.add(release);
        empty = false;
    }

    /** Removes the oldest of the releases that could not be delivered. */
    Outbox.@Nullable Undelivered pollUndelivered(long nowNanos) {
        Outbox.Undelivered release = outbox.poll(nowNanos);
        look();
        return release;
    }

    @Nullable
    Request first() {
        return waiting.isEmpty() ? null : waiting.iterator().next();
    }

    void remove(Request request) {
        waiting.remove(request);
        look();
    }

    /** Removes the requests whose outcome no longer matters, so that no release is sent before a request that it takes back. */
    void removeDecided() {
        waiting.removeIf(request -> request.decided);
        look();
    }

    /** Removes all requests, but not the releases that could not be delivered. */
    List<Request> removeAll() {
        List<Request> all = new ArrayList<>(waiting);
        waiting.clear();
        look();
        return all;
    }

    private void look() {
        empty = waiting.isEmpty() && outbox.isEmpty();
    }
}
