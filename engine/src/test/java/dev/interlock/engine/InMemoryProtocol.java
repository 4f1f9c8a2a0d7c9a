// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client of a {@link InMemoryServer} that fails on request. Safe to use from any thread. */
public final class InMemoryProtocol implements LeaseProtocol, JointLeases {
    public enum Verb {
        ATTEMPT,
        RENEW,
        RELEASE,
        IS_LOCKED,
        TAKE_TOGETHER,
        RELEASE_TOGETHER
    }

    private final Environment env;
    private final InMemoryServer server;
    private final Map<Verb, Queue<RequestFault>> next = new EnumMap<>(Verb.class);
    private final Map<Verb, Supplier<RequestFault>> otherwise = new EnumMap<>(Verb.class);
    private final Map<Verb, AtomicInteger> calls = new EnumMap<>(Verb.class);
    private final List<Claim> attempted = new CopyOnWriteArrayList<>();
    private final List<Claim> renewed = new CopyOnWriteArrayList<>();
    private final List<Claim> released = new CopyOnWriteArrayList<>();
    private final List<String> holds = new CopyOnWriteArrayList<>();
    private final List<String> breaches = new CopyOnWriteArrayList<>();
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    /** Whether this client can listen, and whether it says when listening has begun. */
    public volatile boolean listens = true;

    public volatile boolean confirmsListening = true;

    /** Whether waiters of a client that does not listen look whether the end of the holder's lease moves. */
    public volatile boolean polls;

    /** Whether this client takes and gives back several locks at once. */
    public volatile boolean joint;

    /** Whether claims of this client keep their place with the server. */
    public volatile boolean queues;

    /** The grants by message, by token. */
    private final Map<String, Handed> handed = new ConcurrentHashMap<>();

    private record Handed(long untilNanos, long wallUntilMillis, OptionalLong firstFence) {}

    /**
     * Whether a set interrupt status at the beginning of a call counts as a breach. Not with real threads, where an
     * interrupt may come at any moment.
     */
    volatile boolean checksInterrupts = true;

    /** Whether a call after close counts as a breach. */
    public volatile boolean checksClosed = true;

    /** Whether holdsChanged() fails. */
    public volatile boolean failsToShowHolds;

    /** The lock for which lane() fails, once. */
    public volatile @Nullable String laneFailsFor;

    /** Whether closing a watch fails. */
    public volatile boolean closesBadly;

    private volatile Runnable onTakeover = () -> {};

    public InMemoryProtocol(Environment env, InMemoryServer server) {
        this.env = env;
        this.server = server;
        for (Verb verb : Verb.values()) {
            next.put(verb, new ArrayDeque<>());
            otherwise.put(verb, RequestFault::none);
            calls.put(verb, new AtomicInteger());
        }
    }

    /** The next calls of a verb go wrong in these ways. */
    public synchronized void next(Verb verb, RequestFault... faults) {
        next.get(verb).addAll(List.of(faults));
    }

    /** All calls of a verb for which nothing else was said go wrong in this way. */
    public synchronized void always(Verb verb, Supplier<RequestFault> fault) {
        otherwise.put(verb, fault);
    }

    public void always(Verb verb, RequestFault fault) {
        always(verb, () -> fault);
    }

    /** All calls of all verbs go wrong in this way. */
    public void all(RequestFault fault) {
        for (Verb verb : Verb.values()) {
            always(verb, fault);
        }
    }

    public void heal() {
        all(RequestFault.none());
    }

    public int calls(Verb verb) {
        return calls.get(verb).get();
    }

    public int allCalls() {
        return calls.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    public int watches() {
        return watches.get();
    }

    public int timesClosed() {
        return closed.get();
    }

    public List<Claim> attempted() {
        return attempted;
    }

    public List<Claim> renewed() {
        return renewed;
    }

    /** The claims that were to be released one by one. */
    public List<Claim> released() {
        return released;
    }

    /** The calls of holdsChanged(): thread and count. */
    List<String> holds() {
        return holds;
    }

    /** How the engine broke the contract of {@link LeaseProtocol}. */
    List<String> breaches() {
        return breaches;
    }

    private RequestFault begin(Verb verb) {
        calls.get(verb).incrementAndGet();
        if (checksInterrupts && Thread.currentThread().isInterrupted()) {
            breaches.add(verb + " was called with the interrupt status set");
        }
        if (checksClosed && closed.get() > 0) {
            breaches.add(verb + " was called after close");
        }
        synchronized (this) {
            RequestFault fault = next.get(verb).poll();
            return fault != null ? fault : otherwise.get(verb).get();
        }
    }

    @Override
    public void holdsChanged(Claim claim, int count) {
        if (checksInterrupts && Thread.currentThread().isInterrupted()) {
            breaches.add("holdsChanged was called with the interrupt status set");
        }
        if (failsToShowHolds) {
            throw new IllegalStateException("planted");
        }
        holds.add(Thread.currentThread().getName() + " " + count);
    }

    @Override
    public Attempt attempt(Claim claim) {
        attempted.add(claim);
        try {
            Handed grant = handed.remove(claim.token());
            if (grant != null && claim.isRenewed()) {
                Duration left = Duration.ofNanos(Math.min(
                        grant.untilNanos - env.nanoTime(),
                        TimeUnit.MILLISECONDS.toNanos(grant.wallUntilMillis - env.currentTimeMillis())));
                if (!left.isNegative() && !left.isZero()) {
                    return new Attempt.Granted(left, grant.firstFence);
                }
            }
            return call(begin(Verb.ATTEMPT), () -> server.attempt(this, claim));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    @Override
    public String lane(String name) {
        if (name.equals(laneFailsFor)) {
            laneFailsFor = null;
            throw new IllegalStateException("planted");
        }
        return "";
    }

    @Override
    public boolean queues() {
        return queues;
    }

    /** A message says that the server has granted a lock to a claim that waits. */
    void granted(Claim claim, Duration lease, Attempt.Granted granted) {
        handed.put(
                claim.token(),
                new Handed(
                        env.nanoTime() + granted.validity().toNanos(),
                        env.currentTimeMillis() + lease.toMillis(),
                        granted.firstFence()));
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        renewed.addAll(claims);
        RequestFault fault = begin(Verb.RENEW);
        try {
            return call(fault, () -> claims.stream().map(server::renew).toList());
        } catch (LockBackendException e) {
            List<Renewal> failed = new ArrayList<>();
            claims.forEach(claim -> failed.add(new Renewal.Failed(e)));
            return failed;
        }
    }

    @Override
    public Release release(Claim claim) {
        handed.remove(claim.token());
        released.add(claim);
        RequestFault fault = begin(Verb.RELEASE);
        if (fault.after().compareTo(claim.timeout()) > 0) {
            server.release(this, claim);
            pause(claim.timeout());
            throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "no answer in time");
        }
        return call(fault, () -> server.release(this, claim));
    }

    @Override
    public Optional<JointLeases> joint() {
        return joint ? Optional.of(this) : Optional.empty();
    }

    @Override
    public boolean areTogether(List<String> names) {
        return true;
    }

    @Override
    public Taking takeTogether(List<Claim> claims) {
        try {
            return call(begin(Verb.TAKE_TOGETHER), () -> server.takeTogether(claims));
        } catch (LockBackendException e) {
            return new Taking.Failed(e);
        }
    }

    @Override
    public List<Release> releaseTogether(List<Claim> claims) {
        return call(
                begin(Verb.RELEASE_TOGETHER),
                () -> claims.stream().map(claim -> server.release(this, claim)).toList());
    }

    @Override
    public boolean isLocked(String name) {
        return call(begin(Verb.IS_LOCKED), () -> !server.isFree(name));
    }

    private <T> T call(RequestFault fault, Supplier<T> request) {
        pause(fault.before());
        T answer = null;
        if (fault.effect() == RequestFault.Effect.DONE) {
            answer = request.get();
            pause(fault.after());
        } else if (fault.effect() == RequestFault.Effect.LATE) {
            env.newThread("late effect", () -> {
                        pause(fault.after());
                        request.get();
                    })
                    .start();
        }
        return switch (fault.answer()) {
            case TRUE -> answer;
            case UNREACHABLE -> throw new LockBackendException(Reason.UNREACHABLE, "no server");
            case REFUSED -> throw new LockBackendException(Reason.REFUSED, "not allowed");
            case UNKNOWN -> throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "no answer");
            case EXCEPTION -> throw new IllegalStateException("planted");
            case CHECKED_EXCEPTION -> throw undeclared(new IOException("planted"));
            case ERROR -> throw new AssertionError("planted");
        };
    }

    @SuppressWarnings("unchecked")
    public static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
        throw (E) failure;
    }

    /** Waits for a while, whatever the interrupt status, and leaves the status as it is. */
    private void pause(Duration time) {
        boolean interrupted = false;
        long until = env.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - env.nanoTime()) {
            env.park(this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        if (!listens) {
            return polls ? Watch.POLLING : Watch.NONE;
        }
        watches.incrementAndGet();
        Watch watch = server.listen(this, name, onFreed);
        if (confirmsListening) {
            onFreed.run();
        }
        return closesBadly
                ? () -> {
                    watch.close();
                    throw new IllegalStateException("planted");
                }
                : watch;
    }

    @Override
    public void watchTakeovers(Runnable takeover) {
        onTakeover = takeover;
    }

    /** Simulates a failover. */
    public void takeover() {
        onTakeover.run();
    }

    @Override
    public void close() {
        closed.incrementAndGet();
    }
}
