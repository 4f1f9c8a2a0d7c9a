// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol.Place;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A backend in this JVM that keeps leases as a server does, and fails on request. Subclasses may treat locks wrongly;
 * faults are the same for all.
 */
public class MemoryServer implements FaultInjector {
    /** The holder of a lock, and the end of its lease. */
    public record Entry(String token, long untilNanos) {}

    /** A client that is subscribed to messages. */
    public interface Listener {
        String name();

        void freed();

        void connectionLost();
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private final Map<String, Long> fences = new HashMap<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Queue<Runnable> held = new ArrayDeque<>();
    private final MemoryReadWrite readWrite;
    private boolean paused;
    private boolean refusing;
    private boolean loseNextReply;
    private boolean lostReply;
    private boolean losesDataOnHeal;
    private boolean delaying;

    protected MemoryServer() {
        this(new MemoryReadWrite());
    }

    public MemoryServer(MemoryReadWrite readWrite) {
        this.readWrite = readWrite;
    }

    /** Its read/write locks, to be used with this object's monitor held. */
    final MemoryReadWrite readWrite() {
        return readWrite;
    }

    // Requests of clients.

    /** Executes a request as a server on the network would: under a fault never, late, or without an answer. */
    public final <T> T request(Duration timeout, Supplier<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        boolean late;
        synchronized (this) {
            if (refusing) {
                throw new LockBackendException(Reason.UNREACHABLE, "the server in memory refuses connections");
            }
            late = delaying;
            if (paused) {
                held.add(() -> answer.complete(work.get()));
            } else {
                T result = work.get();
                if (loseNextReply) {
                    loseNextReply = false;
                    lostReply = true;
                    throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the server in memory lost the answer");
                }
                answer.complete(result);
            }
        }
        tell();
        boolean interrupted = Thread.interrupted();
        try {
            if (late) {
                sleep(DELAY);
            }
            long until = System.nanoTime() + timeout.toNanos();
            while (true) {
                try {
                    return answer.get(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the server in memory does not answer", e);
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void sleep(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        boolean interrupted = false;
        for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // Locks. Called with this object's monitor held.

    protected Attempt attempt(Claim claim) {
        Entry entry = live(claim.name());
        if (entry != null && !entry.token().equals(claim.token())) {
            return new Attempt.Refused(Optional.of(Duration.ofNanos(entry.untilNanos() - System.nanoTime())));
        }
        put(claim);
        return new Attempt.Granted(claim.lease(), nextFence(claim));
    }

    protected Renewal renew(Claim claim) {
        Optional<LossCause> loss = lossOf(claim);
        if (loss.isPresent()) {
            return new Renewal.Lost(loss.get());
        }
        put(claim);
        return new Renewal.Renewed(claim.lease());
    }

    protected Release release(Claim claim) {
        Optional<LossCause> loss = lossOf(claim);
        if (loss.isPresent()) {
            return new Release.Lost(loss.get());
        }
        remove(claim.name());
        if (claim.isHeld()) {
            confirm(claim);
        }
        return new Release.Freed(true);
    }

    public final OptionalLong nextFence(Claim claim) {
        long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        long token = Math.max(fences.getOrDefault(claim.name(), 0L) + 1, now);
        fences.put(claim.name(), token + claim.fences() - 1);
        return OptionalLong.of(token);
    }

    protected final Optional<LossCause> lossOf(Claim claim) {
        Entry entry = live(claim.name());
        if (entry == null) {
            return Optional.of(LossCause.GONE);
        }
        return entry.token().equals(claim.token()) ? Optional.empty() : Optional.of(LossCause.TAKEN);
    }

    /** The present holder of a lock, or {@code null}. */
    public final Entry live(String name) {
        Entry entry = entries.get(name);
        return entry == null || entry.untilNanos() - System.nanoTime() <= 0 ? null : entry;
    }

    public final void put(Claim claim) {
        entries.put(
                claim.name(),
                new Entry(claim.token(), System.nanoTime() + claim.lease().toNanos()));
    }

    public final void remove(String name) {
        entries.remove(name);
        freed.add(name);
    }

    // Waiters for conditions. Called with this object's monitor held.

    protected final Map<String, Deque<Claim>> waiting = new HashMap<>();
    private final Map<String, Claim> signalled = new ConcurrentHashMap<>();
    private final Map<String, Runnable> waiters = new ConcurrentHashMap<>();

    protected Deque<Claim> waitersOf(String name, String condition) {
        return waiting.computeIfAbsent(name + "\0" + condition, any -> new ArrayDeque<>());
    }

    protected final Deque<Claim> waitersLike(Claim waiter) {
        return waitersOf(waiter.name(), waiter.condition().orElseThrow());
    }

    protected Release await(Claim held, Claim waiter, boolean releases) {
        Optional<LossCause> loss = lossOf(held);
        if (loss.isPresent()) {
            return new Release.Lost(loss.get());
        }
        waitersLike(waiter).addLast(waiter);
        return releases ? release(held) : new Release.Freed(true);
    }

    protected Optional<LossCause> signal(Claim held, String condition, boolean all) {
        Optional<LossCause> loss = lossOf(held);
        if (loss.isEmpty()) {
            Deque<Claim> queue = waitersOf(held.name(), condition);
            for (boolean goesOn = true; goesOn && !queue.isEmpty(); goesOn = all) {
                signalNext(queue);
            }
        }
        return loss;
    }

    protected void signalNext(Deque<Claim> queue) {
        Claim waiter = queue.pollFirst();
        if (waiter != null) {
            signalled(waiter);
        }
    }

    /** Notes that a waiter was signalled. */
    protected void signalled(Claim waiter) {
        signalled.put(waiter.token(), waiter);
        stirred.add(waiter.token());
    }

    protected Place look(Claim waiter) {
        if (waitersLike(waiter).stream().anyMatch(other -> other.token().equals(waiter.token()))) {
            return Place.WAITING;
        }
        return signalled.containsKey(waiter.token()) ? Place.SIGNALLED : Place.GONE;
    }

    protected Place leave(Claim waiter, boolean passesOn) {
        Place place = look(waiter);
        if (place == Place.WAITING) {
            waitersLike(waiter).removeIf(other -> other.token().equals(waiter.token()));
        } else if (place == Place.SIGNALLED && passesOn) {
            confirm(waiter);
            signalNext(waitersLike(waiter));
        }
        return place;
    }

    void confirm(Claim waiter) {
        signalled.remove(waiter.token());
    }

    /** Returns whether a message has told a waiter to ask for the lock. */
    boolean isTold(Claim waiter) {
        return signalled.containsKey(waiter.token());
    }

    final void listen(Claim waiter, Runnable onChange) {
        waiters.put(waiter.token(), onChange);
    }

    public final void unlisten(Claim waiter) {
        waiters.remove(waiter.token());
    }

    // Messages. Delivered outside the monitor, since they run callbacks of the clients.

    private final Queue<String> freed = new ArrayDeque<>();
    private final Queue<String> stirred = new ConcurrentLinkedQueue<>();

    private void tell() {
        List<Listener> told = new ArrayList<>();
        synchronized (this) {
            freed.addAll(readWrite.takeWoken());
            for (String name = freed.poll(); name != null; name = freed.poll()) {
                String freedName = name;
                listeners.stream()
                        .filter(listener -> listener.name().equals(freedName))
                        .forEach(told::add);
            }
        }
        told.forEach(Listener::freed);
        for (String token = stirred.poll(); token != null; token = stirred.poll()) {
            waiters.getOrDefault(token, () -> {}).run();
        }
    }

    public final synchronized void listen(Listener listener) {
        listeners.add(listener);
    }

    public final synchronized void unlisten(Listener listener) {
        listeners.remove(listener);
    }

    private void loseListeners() {
        List<Listener> lost;
        synchronized (this) {
            lost = List.copyOf(listeners);
            listeners.clear();
        }
        lost.forEach(Listener::connectionLost);
        waiters.values().forEach(Runnable::run);
    }

    // Faults.

    @Override
    public final Set<Fault> supported() {
        return EnumSet.allOf(Fault.class);
    }

    /** Hook for wrong locks: called at a fault, with this object's monitor held. */
    protected void suffer(Fault fault) {
        readWrite.suffer(fault);
    }

    @Override
    public final void inject(Fault fault) {
        synchronized (this) {
            suffer(fault);
            switch (fault) {
                case PAUSE -> paused = true;
                case PARTITION, STOP -> refusing = true;
                case KILL -> {
                    refusing = true;
                    losesDataOnHeal = true;
                }
                case RESTART_WITHOUT_DATA, FLUSH -> forget();
                case DELAY -> delaying = true;
                case LOSE_NEXT_REPLY -> {
                    loseNextReply = true;
                    lostReply = false;
                }
                case RESTART_WITH_DATA, FORGET_PREPARED, CUT_CONNECTIONS, CUT_NOTIFICATIONS -> {}
            }
        }
        switch (fault) {
            case PARTITION, STOP, KILL, RESTART_WITH_DATA, RESTART_WITHOUT_DATA, CUT_CONNECTIONS, CUT_NOTIFICATIONS ->
                loseListeners();
            case FLUSH -> waiters.values().forEach(Runnable::run);
            case PAUSE, FORGET_PREPARED, DELAY, LOSE_NEXT_REPLY -> {}
        }
    }

    @Override
    public final synchronized boolean hasLostReply() {
        return lostReply;
    }

    protected final void forget() {
        readWrite.forget();
        entries.clear();
        fences.clear();
        waiting.clear();
        signalled.clear();
    }

    @Override
    public final void heal() {
        boolean back;
        synchronized (this) {
            back = refusing;
            if (losesDataOnHeal) {
                forget();
            }
            refusing = false;
            losesDataOnHeal = false;
            delaying = false;
            loseNextReply = false;
            paused = false;
            for (Runnable late = held.poll(); late != null; late = held.poll()) {
                late.run();
            }
        }
        tell();
        if (back) {
            loseListeners();
        }
    }
}
