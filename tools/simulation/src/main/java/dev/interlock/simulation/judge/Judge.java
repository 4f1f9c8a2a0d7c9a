// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.judge;

import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks at every moment that a lock has at most one holder with a valid lease, or only such as share it, and that
 * tokens grow in the order of the grants.
 */
public final class Judge {
    /**
     * The time within which a waiter must get a free lock: a few hundred round trips, and shorter than the pause before
     * a waiter asks again by itself.
     */
    public static final long PROMPT_NANOS = 100_000_000;

    private final List<Held> held = new ArrayList<>();
    private final Map<String, Long> lastTokens = new HashMap<>();

    /** Who asks for each lock, with a number: a thread may ask twice in the same nanosecond. */
    private final Map<String, Map<String, Long>> asked = new HashMap<>();

    /** Who asks for each lock that has one name, and since when. */
    private final Map<String, Map<String, Long>> waiting = new HashMap<>();

    /** When each lock was last given back. */
    private final Map<String, Long> returned = new HashMap<>();

    private final boolean fenced;
    private final boolean prompt;
    private final long lingersNanos;
    private final LongSupplier now;
    private final Consumer<String> note;
    private @Nullable String violation;
    private int grants;
    private long questions;

    /** The largest token of those who share each lock. */
    private final Map<String, Long> sharedTokens = new HashMap<>();

    /** A lock that a client believes it holds, alone or with others. */
    public record Held(String lock, String who, Lease lease, boolean shared) {}

    /**
     * @param fenced whether there are tokens
     * @param prompt whether a waiter must get a free lock soon, and no request may fail
     * @param lingers how much longer than its holder believes a lease may last on the servers
     * @param now the world's clock, in ns
     * @param note told of violations
     */
    public Judge(boolean fenced, boolean prompt, Duration lingers, LongSupplier now, Consumer<String> note) {
        this.fenced = fenced;
        this.prompt = prompt;
        this.lingersNanos = lingers.toNanos();
        this.now = now;
        this.note = note;
    }

    /** A client asks for a lock. */
    public void asks(String lock, String who) {
        asksForSeveral(lock, who);
        waiting.computeIfAbsent(lock, name -> new HashMap<>()).put(who, now.getAsLong());
    }

    /** A client asks for a lock over several names: it may have one of them while it waits for another one. */
    public void asksForSeveral(String lock, String who) {
        asked.computeIfAbsent(lock, name -> new HashMap<>()).put(who, ++questions);
    }

    /** A client no longer asks for a lock. */
    public void answered(String lock, String who) {
        asked.getOrDefault(lock, new HashMap<>()).remove(who);
        waiting.getOrDefault(lock, new HashMap<>()).remove(who);
    }

    /** Returns whether anybody asks for a lock. */
    public boolean isAskedFor(String lock) {
        return !waiting.getOrDefault(lock, Map.of()).isEmpty();
    }

    /** Returns the number of what a client asks for. */
    public long question(String lock, String who) {
        return Objects.requireNonNull(asked.getOrDefault(lock, Map.of()).get(who), "asks for it");
    }

    /**
     * Checks that a wait has ended whose time is over, or whose thread was interrupted, a little while ago.
     *
     * @param question the number that the client's question had
     */
    public void hasEnded(String lock, String who, long question) {
        Long last = asked.getOrDefault(lock, Map.of()).get(who);
        if (prompt && last != null && last == question) {
            violated(who + " waits for \"" + lock + "\" although its time is over, or it was interrupted");
        }
    }

    /** A request of a client has failed, although it has not closed its factory. */
    public void failed(String who, LockBackendException failure) {
        if (prompt) {
            violated(who + " was told of a failure, and nothing went wrong: " + failure.getMessage());
        }
    }

    /** Somebody was granted a lock. */
    public Held granted(String lock, String who, Lease lease) {
        return granted(lock, who, lease, lease.fencingToken());
    }

    /** As {@link #granted(String, String, Lease)}, with a token of its own. */
    public Held granted(String lock, String who, Lease lease, OptionalLong fence) {
        if (fenced && lease.isValid()) {
            long token = fence.orElse(-1);
            long last = Math.max(lastTokens.getOrDefault(lock, -1L), sharedTokens.getOrDefault(lock, -1L));
            if (token <= last) {
                violated("the token of " + who + " for \"" + lock + "\" is " + token + ", and one before was " + last);
            }
            lastTokens.put(lock, token);
        }
        returned.remove(lock);
        return add(new Held(lock, who, lease, false));
    }

    /** Somebody was granted a lock that others may share, with the token of the last one who did not share it. */
    public Held shared(String lock, String who, Lease lease) {
        if (fenced && lease.isValid()) {
            long token = lease.fencingToken().orElse(-1);
            long last = lastTokens.getOrDefault(lock, -1L);
            if (token < last) {
                violated("the token of " + who + ", who shares \"" + lock + "\", is " + token
                        + ", and that of whoever had it before " + last);
            }
            sharedTokens.merge(lock, token, Math::max);
        }
        return add(new Held(lock, who, lease, true));
    }

    private Held add(Held one) {
        grants++;
        held.add(one);
        look();
        return one;
    }

    /** Returns whether somebody shares a lock. */
    public boolean isShared(String lock) {
        return held.stream()
                .anyMatch(one ->
                        one.shared() && one.lock().equals(lock) && one.lease().isValid());
    }

    /** A client is about to give a lock back. */
    public void returned(Held one) {
        held.remove(one);
        returned.merge(one.lock(), now.getAsLong() + (one.lease().isValid() ? 0 : lingersNanos), Math::max);
    }

    /** The process of a client has died: a dead process holds no lock. */
    public void died(String client) {
        held.removeIf(one -> one.who().startsWith(client + "/"));
    }

    /** Checks the holders of all locks, and the waiters of locks that are free. */
    public void look() {
        if (prompt && violation == null) {
            waiting.forEach((lock, since) -> {
                if (!since.isEmpty() && !isHeld(lock)) {
                    lookAtFree(lock, since);
                }
            });
        }
        if (held.size() < 2 || violation != null) {
            return;
        }
        List<Held> valid = new ArrayList<>();
        for (Held later : held) {
            if (later.lease().isValid()) {
                for (Held earlier : valid) {
                    if (earlier.lock().equals(later.lock()) && !mayBeBeside(earlier, later)) {
                        violated("both " + earlier.who() + " and " + later.who() + " hold \"" + later.lock()
                                + "\" with a valid lease");
                    }
                }
                valid.add(later);
            }
        }
    }

    private boolean isHeld(String lock) {
        for (Held one : held) {
            if (one.lock().equals(lock)) {
                return true;
            }
        }
        return false;
    }

    /** Whoever shares a lock may be beside others who do, and beside itself as the one who had it alone. */
    private static boolean mayBeBeside(Held earlier, Held later) {
        return earlier.shared() == later.shared()
                ? earlier.shared()
                : earlier.who().equals(later.who());
    }

    private void lookAtFree(String lock, Map<String, Long> waiters) {
        long freed = returned.getOrDefault(lock, 0L);
        waiters.forEach((who, since) -> {
            if (now.getAsLong() - Math.max(freed, since) > PROMPT_NANOS) {
                violated(who + " waits for \"" + lock + "\", which nobody holds");
            }
        });
    }

    public void violated(String what) {
        if (violation == null) {
            violation = what;
            note.accept("VIOLATION: " + what);
        }
    }

    public Optional<String> violation() {
        return Optional.ofNullable(violation);
    }

    public int grants() {
        return grants;
    }
}
