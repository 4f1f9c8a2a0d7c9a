// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Waiting;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the slot table of a cluster up to date. One thread asks the nodes for it when there are doubts, while a
 * subscription is at the wrong node, and once a minute. Safe to use from any thread.
 */
final class SlotKeeper {
    private static final System.Logger LOG = System.getLogger(SlotKeeper.class.getName());
    private static final RedisCommand CLUSTER_SLOTS = RedisCommand.of("CLUSTER", "SLOTS");
    private static final Duration LONGEST_ASK = Duration.ofSeconds(2);
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The least time between two refreshes that find no change. */
    private static final long FIRST_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long LONGEST_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment env;
    private final List<RedisEndpoint> seeds;
    private final Duration askTimeout;
    private final ClusterNodes nodes;

    /** The action after each refresh. If it returns false, another refresh follows soon. */
    private final BooleanSupplier onRefreshed;

    /** The action when the set of primaries has changed. */
    private final Runnable onTakeover;

    private final ReentrantLock lock = new ReentrantLock();
    private volatile SlotTable table = SlotTable.EMPTY;
    private @Nullable CompletableFuture<Optional<LockBackendException>> requested;
    private @Nullable Thread thread;
    private boolean closed;

    /** The nodes that did not answer when they were last asked. Confined to the thread. */
    private final Set<RedisEndpoint> silent = new HashSet<>();

    private int turn;

    SlotKeeper(
            Environment env,
            List<RedisEndpoint> seeds,
            Duration timeout,
            ClusterNodes nodes,
            BooleanSupplier onRefreshed,
            Runnable onTakeover) {
        this.env = env;
        this.seeds = List.copyOf(seeds);
        this.askTimeout = timeout.compareTo(LONGEST_ASK) < 0 ? timeout : LONGEST_ASK;
        this.nodes = nodes;
        this.onRefreshed = onRefreshed;
        this.onTakeover = onTakeover;
    }

    /** Returns the current table, which may be empty. */
    SlotTable table() {
        return table;
    }

    /**
     * Returns the table, and asks for it first if none is known yet.
     *
     * @throws LockBackendException if no node tells it by the deadline
     */
    SlotTable table(Deadline deadline) {
        SlotTable known = table;
        if (!known.isEmpty()) {
            return known;
        }
        CompletableFuture<Optional<LockBackendException>> refresh = refresh();
        Waiting.until(env, refresh, deadline);
        if (!refresh.isDone()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    "none of the nodes " + seeds + " of the cluster has told its slots within " + deadline.timeout()
                            + ": check that they run and are not overloaded");
        }
        refresh.join().ifPresent(failure -> {
            // Each caller gets an exception with its own stack.
            throw new LockBackendException(failure.reason(), String.valueOf(failure.getMessage()), failure);
        });
        return table;
    }

    /** Records a redirection, and requests a refresh. */
    void moved(int slot, RedisEndpoint owner) {
        SlotTable before;
        SlotTable now;
        lock.lock();
        try {
            before = table;
            now = Objects.equals(owner, before.owner(slot)) ? before : before.with(slot, owner);
            table = now;
        } finally {
            lock.unlock();
        }
        tellIfTakenOver(before, now);
        refresh();
    }

    /** Requests a refresh, and returns its outcome: empty, or the failure. */
    CompletableFuture<Optional<LockBackendException>> refresh() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.completedFuture(Optional.of(closedByUs()));
            }
            CompletableFuture<Optional<LockBackendException>> present = requested;
            if (present == null) {
                present = new CompletableFuture<>();
                requested = present;
            }
            if (thread == null) {
                Thread fresh = env.newWaitingThread("interlock-cluster", this::run);
                fresh.start();
                thread = fresh;
            } else {
                env.unpark(thread);
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    private static LockBackendException closedByUs() {
        return new LockBackendException(Reason.UNREACHABLE, "the connection to the cluster was closed by this program");
    }

    private void run() {
        long gap = FIRST_GAP_NANOS;
        boolean well = true;
        while (true) {
            boolean wasWell = well;
            long until = env.nanoTime() + (wasWell ? PERIOD_NANOS : gap);
            CompletableFuture<Optional<LockBackendException>> asked = takeRequest(until);
            if (isClosed()) {
                if (asked != null) {
                    asked.complete(Optional.of(closedByUs()));
                }
                return;
            }
            SlotTable before = table;
            Optional<LockBackendException> failure = ask();
            well = settleGuarded() && failure.isEmpty();
            if (asked != null) {
                asked.complete(failure);
            }
            gap = !before.equals(table) ? FIRST_GAP_NANOS : Math.min(2 * gap, LONGEST_GAP_NANOS);
            long rested = env.nanoTime() + gap;
            sleepUntil(rested);
            if (well && asked == null) {
                gap = FIRST_GAP_NANOS;
            }
        }
    }

    /** Waits for a request, at most until a deadline, and returns it. */
    private @Nullable CompletableFuture<Optional<LockBackendException>> takeRequest(long untilNanos) {
        while (true) {
            lock.lock();
            try {
                CompletableFuture<Optional<LockBackendException>> taken = requested;
                requested = null;
                if (taken != null || closed) {
                    return taken;
                }
            } finally {
                lock.unlock();
            }
            long left = untilNanos - env.nanoTime();
            if (left <= 0) {
                return null;
            }
            Thread.interrupted();
            env.park(this, left);
        }
    }

    private void sleepUntil(long untilNanos) {
        for (long left = untilNanos - env.nanoTime(); left > 0 && !isClosed(); left = untilNanos - env.nanoTime()) {
            Thread.interrupted();
            env.park(this, left);
        }
    }

    private boolean settleGuarded() {
        try {
            return onRefreshed.getAsBoolean();
        } catch (Throwable e) {
            // The thread must not die: nothing restarts it.
            LOG.log(System.Logger.Level.WARNING, "could not follow a change of the cluster", e);
            return false;
        }
    }

    /** Asks one node after the other until one returns the table. */
    private Optional<LockBackendException> ask() {
        LockBackendException last = closedByUs();
        for (RedisEndpoint each : candidates()) {
            if (isClosed()) {
                return Optional.of(closedByUs());
            }
            try {
                Object reply = nodes.node(each).call(CLUSTER_SLOTS, askTimeout);
                SlotTable told = SlotTable.of((List<?>) Objects.requireNonNull(reply), each);
                silent.remove(each);
                if (!told.isEmpty()) {
                    become(told);
                    return Optional.empty();
                }
                last = new LockBackendException(
                        Reason.UNREACHABLE, each + " knows no node that serves a slot: complete the cluster");
            } catch (LockBackendException e) {
                silent.add(each);
                last = explained(each, e);
            } catch (Throwable e) {
                // The thread must not die: nothing restarts it.
                silent.add(each);
                last = new LockBackendException(
                        Reason.REFUSED,
                        each
                                + " could not be asked for the slots of the cluster, or told them in a form that is not known",
                        e);
            }
        }
        return Optional.of(last);
    }

    private static LockBackendException explained(RedisEndpoint asked, LockBackendException failure) {
        return String.valueOf(failure.getMessage()).contains("cluster support disabled")
                ? new LockBackendException(
                        Reason.REFUSED,
                        asked + " is no node of a cluster: give the endpoint as redis://host:port",
                        failure)
                : failure;
    }

    private void become(SlotTable told) {
        SlotTable before;
        lock.lock();
        try {
            before = table;
            table = told;
        } finally {
            lock.unlock();
        }
        tellIfTakenOver(before, told);
        nodes.retain(told.primaries());
    }

    /**
     * Reports a takeover if a primary came or went, since it may be a promoted replica. A slot that merely moves takes
     * its keys along.
     */
    private void tellIfTakenOver(SlotTable before, SlotTable now) {
        if (!before.isEmpty() && !Set.copyOf(before.primaries()).equals(Set.copyOf(now.primaries()))) {
            try {
                onTakeover.run();
            } catch (RuntimeException | Error e) {
                // The slot table is valid all the same.
                LOG.log(
                        System.Logger.Level.WARNING,
                        "could not trigger the renewal of leases after a change of the cluster",
                        e);
            }
        }
    }

    /**
     * Returns the nodes to ask, in turn, silent ones last. More than one is asked, since a node that is cut off knows
     * only the past.
     */
    private List<RedisEndpoint> candidates() {
        Set<RedisEndpoint> known = new LinkedHashSet<>(table.primaries());
        known.addAll(seeds);
        silent.retainAll(known);
        List<RedisEndpoint> answering = new ArrayList<>(known);
        answering.removeAll(silent);
        if (!answering.isEmpty()) {
            Collections.rotate(answering, -(turn++ % answering.size()));
        }
        answering.addAll(silent);
        return answering;
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        CompletableFuture<Optional<LockBackendException>> left;
        lock.lock();
        try {
            closed = true;
            left = requested;
            requested = null;
            if (thread != null) {
                env.unpark(thread);
            }
        } finally {
            lock.unlock();
        }
        if (left != null) {
            left.complete(Optional.of(closedByUs()));
        }
    }
}
