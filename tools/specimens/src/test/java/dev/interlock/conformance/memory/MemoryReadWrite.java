// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol.SideClaim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The read/write locks of a {@link MemoryServer}, correct unless a subclass says otherwise. Used with the server's
 * monitor held.
 */
public class MemoryReadWrite {
    /** The state of one lock. */
    public static final class State {
        @Nullable
        public String writer;

        long writerUntil;
        public final Map<String, Long> readers = new HashMap<>();
        public final Deque<SideClaim> toWrite = new ArrayDeque<>();
        public final Deque<SideClaim> toRead = new ArrayDeque<>();
        public long fence;
    }

    private final Map<String, State> states = new HashMap<>();
    private final List<String> woken = new ArrayList<>();

    protected State state(SideClaim asked) {
        return states.computeIfAbsent(asked.side().lockName(), name -> new State());
    }

    /** Returns the keys of the waiters whose turn has come since the last call. */
    final List<String> takeWoken() {
        List<String> taken = List.copyOf(woken);
        woken.clear();
        return taken;
    }

    final void forget() {
        states.clear();
    }

    /** Hook for wrong locks: called at a fault. */
    protected void suffer(Fault fault) {}

    protected static boolean reads(SideClaim asked) {
        return asked.side().access() == Access.READ;
    }

    protected Attempt attempt(SideClaim asked) {
        State state = state(asked);
        settle(state, null);
        Claim claim = asked.claim();
        boolean reads = reads(asked);
        if (!(reads ? mayRead(state, asked) : mayWrite(state, asked))) {
            Deque<SideClaim> queue = reads ? state.toRead : state.toWrite;
            if (claim.isWaiting() && queue.stream().noneMatch(other -> isFor(other, asked))) {
                queue.addLast(asked);
            }
            return new Attempt.Refused(Optional.of(Duration.ofNanos(Math.max(0, end(state) - System.nanoTime()))));
        }
        leave(state, asked);
        long until = System.nanoTime() + claim.lease().toNanos();
        if (reads) {
            grantRead(state, claim.token(), until);
        } else {
            state.writer = claim.token();
            state.writerUntil = until;
        }
        return new Attempt.Granted(claim.lease(), reads ? readersFence(state) : writersFence(state));
    }

    protected void grantRead(State state, String token, long until) {
        state.readers.merge(token, until, Math::max);
    }

    protected OptionalLong writersFence(State state) {
        state.fence = Math.max(state.fence + 1, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        return OptionalLong.of(state.fence);
    }

    protected OptionalLong readersFence(State state) {
        return state.fence == 0 ? writersFence(state) : OptionalLong.of(state.fence);
    }

    static boolean isFor(SideClaim one, SideClaim other) {
        return one.claim().token().equals(other.claim().token());
    }

    static void leave(State state, SideClaim asked) {
        state.toRead.removeIf(other -> isFor(other, asked));
        state.toWrite.removeIf(other -> isFor(other, asked));
    }

    /** The time at which the first lease ends. */
    private static long end(State state) {
        return state.writer != null
                ? state.writerUntil
                : state.readers.values().stream().min(Long::compare).orElse(System.nanoTime());
    }

    protected boolean mayRead(State state, SideClaim asked) {
        boolean within = asked.within()
                .filter(token -> token.equals(state.writer) || state.readers.containsKey(token))
                .isPresent();
        return within
                || state.readers.containsKey(asked.claim().token())
                || (state.writer == null && state.toWrite.isEmpty());
    }

    protected boolean mayWrite(State state, SideClaim asked) {
        return asked.claim().token().equals(state.writer)
                || (state.writer == null
                        && state.readers.isEmpty()
                        && state.toWrite.isEmpty()
                        && state.toRead.isEmpty());
    }

    /** Removes leases that are over, and begins the next phase. Called after one side, or neither, was released. */
    protected void settle(State state, @Nullable Access given) {
        Access ended = expire(state) && given == null ? Access.READ : given;
        if (state.writer != null) {
            return;
        }
        if (!state.readers.isEmpty()) {
            if (ended == Access.WRITE || state.toWrite.isEmpty()) {
                admit(state);
            }
        } else if (ended == Access.READ ? !promote(state) : !admit(state)) {
            if (ended == Access.READ) {
                admit(state);
            } else {
                promote(state);
            }
        }
    }

    /** Removes the leases that are over. Returns whether there was a reader's among them. */
    protected boolean expire(State state) {
        long now = System.nanoTime();
        if (state.writer != null && state.writerUntil - now <= 0) {
            state.writer = null;
        }
        return state.readers.values().removeIf(until -> until - now <= 0);
    }

    protected boolean admit(State state) {
        boolean any = !state.toRead.isEmpty();
        for (SideClaim next = state.toRead.pollFirst(); next != null; next = state.toRead.pollFirst()) {
            grantRead(
                    state,
                    next.claim().token(),
                    System.nanoTime() + next.claim().lease().toNanos());
            woken.add(next.side().key());
        }
        return any;
    }

    boolean promote(State state) {
        SideClaim next = nextWriter(state.toWrite);
        if (next == null) {
            return false;
        }
        state.writer = next.claim().token();
        state.writerUntil = System.nanoTime() + next.claim().lease().toNanos();
        woken.add(next.side().key());
        return true;
    }

    @Nullable
    protected SideClaim nextWriter(Deque<SideClaim> waiting) {
        return waiting.pollFirst();
    }

    protected Renewal renew(SideClaim claim) {
        State state = state(claim);
        expire(state);
        String token = claim.claim().token();
        long until = System.nanoTime() + claim.claim().lease().toNanos();
        if (reads(claim)) {
            if (!state.readers.containsKey(token)) {
                return new Renewal.Lost(LossCause.GONE);
            }
            grantRead(state, token, until);
        } else {
            if (!token.equals(state.writer)) {
                return new Renewal.Lost(state.writer == null ? LossCause.GONE : LossCause.TAKEN);
            }
            state.writerUntil = Math.max(state.writerUntil, until);
        }
        return new Renewal.Renewed(claim.claim().lease());
    }

    protected Release release(SideClaim given) {
        State state = state(given);
        expire(state);
        withdraw(state, given);
        String token = given.claim().token();
        boolean held;
        if (reads(given)) {
            held = state.readers.remove(token) != null;
        } else {
            held = token.equals(state.writer);
            if (held) {
                state.writer = null;
            }
        }
        settle(state, held ? given.side().access() : null);
        return held ? new Release.Freed(false) : new Release.Lost(LossCause.GONE);
    }

    /** Removes the place of a claim that is released. */
    protected void withdraw(State state, SideClaim given) {
        leave(state, given);
    }

    protected boolean isLocked(LockSide side) {
        State state = states.getOrDefault(side.lockName(), new State());
        expire(state);
        return side.access() == Access.READ ? !state.readers.isEmpty() : state.writer != null;
    }
}
