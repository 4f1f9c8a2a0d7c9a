// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.topology.PrimarySource.Candidate;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the current primary, and searches again when there are doubts. One search runs at a time, all callers share its
 * result, and searches are spaced. A server counts as the primary only if it says so itself.
 */
final class PrimarySearch {
    private static final System.Logger LOG = System.getLogger(PrimarySearch.class.getName());

    /** The least time between the starts of two searches. */
    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Duration LONGEST = Duration.ofHours(1);

    private final Environment env;
    private final String name;
    private final Duration timeout;
    private final PrimarySource source;
    private final BackgroundTasks background;
    private final Runnable onChange;
    private final AtomicBoolean listening = new AtomicBoolean();
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Primary current;
    private @Nullable CompletableFuture<Primary> running;
    private boolean searched;
    private long searchedNanos;
    private boolean closed;

    /**
     * Creates a search.
     *
     * @param name the name of the primary in messages
     * @param timeout the time-out of searches in the background
     * @param onChange run after there is another primary
     */
    PrimarySearch(
            Environment env,
            String name,
            Duration timeout,
            PrimarySource source,
            BackgroundTasks background,
            Runnable onChange) {
        this.env = env;
        this.name = name;
        this.timeout = timeout;
        this.source = source;
        this.background = background;
        this.onChange = onChange;
    }

    /** Returns the current primary as far as it is known; null if none was found yet. */
    @Nullable
    Primary current() {
        return current;
    }

    /**
     * Returns the primary.
     *
     * @param doubted the primary that the caller has doubts about, which makes it look again; null if it has none
     * @throws LockBackendException {@code UNREACHABLE} if it cannot be found by the deadline, {@code REFUSED} if it
     *     never will
     */
    Primary find(@Nullable Primary doubted, Deadline deadline) {
        CompletableFuture<Primary> search;
        boolean mine = false;
        lock.lock();
        try {
            if (closed) {
                throw new LockBackendException(
                        Reason.UNREACHABLE, "the connection to " + name + " was closed by this program");
            }
            Primary known = current;
            if (known != null && known != doubted) {
                return known;
            }
            if (running == null) {
                running = new CompletableFuture<>();
                mine = true;
            }
            search = running;
        } finally {
            lock.unlock();
        }
        if (mine) {
            conduct(search, deadline);
        } else {
            Waiting.until(env, search, deadline);
        }
        return result(search, deadline);
    }

    private Primary result(CompletableFuture<Primary> search, Deadline deadline) {
        if (!search.isDone()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE, name + " was not found within " + deadline.timeout() + ": it may be changing");
        }
        try {
            return search.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LockBackendException failure) {
                // Each thread throws an exception with its own stack. The caller's command was not sent, whatever the
                // outcome of the search.
                Reason reason = failure.reason() == Reason.REFUSED ? Reason.REFUSED : Reason.UNREACHABLE;
                throw new LockBackendException(reason, String.valueOf(failure.getMessage()), failure);
            }
            throw e;
        }
    }

    private void conduct(CompletableFuture<Primary> search, Deadline deadline) {
        Primary found = null;
        Throwable failure = null;
        try {
            awaitSpacing(deadline);
            found = look(deadline);
        } catch (Throwable e) {
            failure = e;
        }
        lock.lock();
        try {
            running = null;
            searched = true;
            searchedNanos = env.nanoTime();
        } finally {
            lock.unlock();
        }
        if (found != null) {
            search.complete(found);
            if (!listening.getAndSet(true)) {
                background.run(() -> source.listen(this::searchSoon));
            }
        } else {
            search.completeExceptionally(failure == null ? new IllegalStateException("nothing was found") : failure);
        }
    }

    private void awaitSpacing(Deadline deadline) {
        if (searched) {
            long left = searchedNanos + SPACING_NANOS - env.nanoTime();
            if (left > 0) {
                Waiting.until(env, new CompletableFuture<>(), deadline.sooner(Duration.ofNanos(left), 1));
            }
        }
    }

    private Primary look(Deadline deadline) {
        Primary before = current;
        Candidate candidate;
        try {
            candidate = source.find(deadline.sooner(LONGEST, 2));
        } catch (LockBackendException e) {
            // All sources may be gone while the primary is running.
            if (before != null && e.reason() != Reason.REFUSED && ServerRole.isPrimary(before.node(), deadline)) {
                return before;
            }
            throw e;
        }
        if (before != null && before.candidate().isSameAs(candidate)) {
            requirePrimary(candidate, before.node(), deadline);
            return before;
        }
        RedisNode node = candidate.connector().get();
        try {
            requirePrimary(candidate, node, deadline);
        } catch (RuntimeException | Error e) {
            background.run(node::close);
            throw e;
        }
        return adopt(new Primary(candidate, node, background), before);
    }

    private void requirePrimary(Candidate candidate, RedisNode node, Deadline deadline) {
        if (!ServerRole.isPrimary(node, deadline)) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    name + " is said to be " + candidate.name() + ", which is a replica: it is probably changing");
        }
    }

    private Primary adopt(Primary found, @Nullable Primary before) {
        lock.lock();
        try {
            if (closed) {
                found.retire();
                throw new LockBackendException(
                        Reason.UNREACHABLE, "the connection to " + name + " was closed by this program");
            }
            current = found;
        } finally {
            lock.unlock();
        }
        if (before != null) {
            LOG.log(
                    Level.INFO,
                    "{0} is {1} now, and was {2}",
                    name,
                    found.candidate().name(),
                    before.candidate().name());
        }
        onChange.run();
        if (before != null) {
            before.retire();
        }
        return found;
    }

    /** Searches again in the background. */
    void searchSoon() {
        if (!wanted.getAndSet(true)) {
            background.run(() -> {
                wanted.set(false);
                try {
                    find(current, new Deadline(env, timeout));
                } catch (LockBackendException e) {
                    // The next caller that needs the primary searches again and gets the failure.
                    LOG.log(Level.DEBUG, "could not find {0}: {1}", name, e.getMessage());
                }
            });
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        Primary last;
        lock.lock();
        try {
            closed = true;
            last = current;
            current = null;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.retire();
        }
        source.close();
    }
}
