// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import dev.interlock.redlock.release.Outbox;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one node that wait to be sent, in order, and the releases that could not be delivered. Guarded by a
 * lock of its owner, but for {@link #isEmpty}.
 *
 * @param <R> the type of the requests
 */
public final class Backlog<R> {
    /**
     * In a longer queue most requests are releases, for which nobody waits, and which the outbox keeps in less memory.
     */
    private static final int MOST_RELEASES = 4_096;

    private final Set<R> waiting = new LinkedHashSet<>();
    private final Outbox outbox = new Outbox();
    private volatile boolean empty = true;

    /** Creates an empty backlog. */
    public Backlog() {}

    /**
     * Tells whether there is nothing to send; may be called without the lock.
     *
     * @return whether no request and no release is here
     */
    public boolean isEmpty() {
        return empty;
    }

    /**
     * Tells how much there is to send.
     *
     * @return the number of requests and releases
     */
    public int size() {
        return waiting.size() + outbox.size();
    }

    /**
     * Tells whether releases should no longer wait among the requests.
     *
     * @return whether there are too many requests
     */
    public boolean isFull() {
        return waiting.size() >= MOST_RELEASES;
    }

    /**
     * Adds a request behind the others.
     *
     * @param request the request
     */
    public void add(R request) {
        waiting.add(request);
        empty = false;
    }

    /**
     * Keeps a release until there is a connection that has room for it.
     *
     * @param release the release
     */
    public void addUndelivered(Outbox.Undelivered release) {
        outbox.add(release);
        empty = false;
    }

    /**
     * Removes the oldest of the releases that could not be delivered.
     *
     * @param nowNanos the time
     * @return the release, or {@code null} if there is none
     */
    public Outbox.@Nullable Undelivered pollUndelivered(long nowNanos) {
        Outbox.Undelivered release = outbox.poll(nowNanos);
        look();
        return release;
    }

    /**
     * Returns the request that has waited longest.
     *
     * @return the request, or {@code null} if there is none
     */
    public @Nullable R first() {
        return waiting.isEmpty() ? null : waiting.iterator().next();
    }

    /**
     * Removes a request, if it is here.
     *
     * @param request the request
     */
    public void remove(R request) {
        waiting.remove(request);
        look();
    }

    /**
     * Removes all requests, but not the releases that could not be delivered.
     *
     * @return the requests, in their order
     */
    public List<R> removeAll() {
        List<R> all = new ArrayList<>(waiting);
        waiting.clear();
        look();
        return all;
    }

    private void look() {
        empty = waiting.isEmpty() && outbox.isEmpty();
    }
}
