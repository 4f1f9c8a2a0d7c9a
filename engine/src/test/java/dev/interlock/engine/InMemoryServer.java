// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The server that the factories of a test share: holders, leases and listeners. Safe to use from any thread. */
public final class InMemoryServer {
    private record Entry(String token, long untilNanos) {}

    private record Listener(InMemoryProtocol protocol, String name, Runnable onFreed) {}

    private final Map<String, Entry> entries = new HashMap<>();
    private final Map<String, Long> fences = new HashMap<>();
    private final List<Listener> listeners = new ArrayList<>();

    /** A client's place among those who wait. */
    private record Place(InMemoryProtocol protocol, Claim claim) {}

    private final List<Place> places = new ArrayList<>();

    /** The longest lease of a lock that is granted to somebody who waits. */
    public static final Duration HAND_OFF = Duration.ofSeconds(2);

    /** The part of a lease that the client subtracts for drift. */
    public volatile Duration allowance = Duration.ZERO;

    public volatile boolean losesMessages;

    /** The monotonic clock of the server: that of the clients, unless a test suspends the clients only. */
    public volatile LongSupplier clock;

    InMemoryServer(Environment env) {
        this.clock = env::nanoTime;
    }

    public Attempt attempt(InMemoryProtocol protocol, Claim claim) {
        Place told;
        Attempt attempt;
        synchronized (this) {
            told = protocol.queues && live(claim.name()) == null ? handOver(claim) : null;
            attempt = attempt(claim);
            if (attempt instanceof Attempt.Granted) {
                leave(claim);
            } else if (protocol.queues && claim.isWaiting() && !isWaiting(claim)) {
                places.add(new Place(protocol, claim));
            }
        }
        tell(told);
        return attempt;
    }

    /** Takes several locks if nobody holds one and nobody waits for one. */
    synchronized JointLeases.Taking takeTogether(List<Claim> claims) {
        List<Attempt.Granted> grants = new ArrayList<>();
        for (Claim claim : claims) {
            if (live(claim.name()) != null) {
                return new JointLeases.Taking.Refused();
            }
        }
        for (Claim claim : claims) {
            if (places.stream().anyMatch(place -> place.claim.name().equals(claim.name()))) {
                return new JointLeases.Taking.OneByOne();
            }
        }
        claims.forEach(claim -> grants.add((Attempt.Granted) attempt(claim)));
        return new JointLeases.Taking.Granted(grants);
    }

    private boolean isWaiting(Claim claim) {
        return places.stream().anyMatch(place -> place.claim.token().equals(claim.token()));
    }

    private void leave(Claim claim) {
        places.removeIf(place -> place.claim.token().equals(claim.token()));
    }

    /** Grants a free lock to its first waiter, unless that is the caller. */
    private @Nullable Place handOver(Claim asking) {
        Place first = places.stream()
                .filter(place -> place.claim.name().equals(asking.name()))
                .findFirst()
                .orElse(null);
        if (first == null || first.claim.token().equals(asking.token())) {
            return null;
        }
        places.remove(first);
        Duration lease = first.claim.lease().compareTo(HAND_OFF) < 0 ? first.claim.lease() : HAND_OFF;
        if (attempt(first.claim.withLease(lease)) instanceof Attempt.Granted granted && !losesMessages) {
            first.protocol.granted(first.claim, lease, granted);
        }
        return first;
    }

    private void tell(@Nullable Place granted) {
        if (granted != null) {
            publish(granted.claim.name(), granted.protocol);
        }
    }

    /** Returns the number of claims that wait. */
    public synchronized int places() {
        return places.size();
    }

    private synchronized Attempt attempt(Claim claim) {
        Entry entry = live(claim.name());
        if (entry != null && !entry.token.equals(claim.token())) {
            return new Attempt.Refused(Optional.of(Duration.ofNanos(entry.untilNanos - clock.getAsLong())));
        }
        entries.put(
                claim.name(),
                new Entry(claim.token(), clock.getAsLong() + claim.lease().toNanos()));
        long last = fences.merge(claim.name(), (long) claim.fences(), Long::sum);
        return new Attempt.Granted(claim.lease().minus(allowance), OptionalLong.of(last - claim.fences() + 1));
    }

    synchronized Renewal renew(Claim claim) {
        Entry entry = live(claim.name());
        if (entry == null) {
            return new Renewal.Lost(LossCause.GONE);
        }
        if (!entry.token.equals(claim.token())) {
            return new Renewal.Lost(LossCause.TAKEN);
        }
        long untilNanos = clock.getAsLong() + claim.lease().toNanos();
        if (untilNanos - entry.untilNanos > 0) {
            entries.put(claim.name(), new Entry(claim.token(), untilNanos));
        }
        return new Renewal.Renewed(claim.lease().minus(allowance));
    }

    Release release(InMemoryProtocol protocol, Claim claim) {
        Place told;
        boolean othersMayWait;
        synchronized (this) {
            leave(claim);
            Entry entry = live(claim.name());
            if (entry == null) {
                return new Release.Lost(LossCause.GONE);
            }
            if (!entry.token.equals(claim.token())) {
                return new Release.Lost(LossCause.TAKEN);
            }
            entries.remove(claim.name());
            told = handOver(claim);
            othersMayWait = mayWaitElsewhere(protocol, claim.name());
        }
        if (told == null) {
            publish(claim.name());
        } else {
            tell(told);
        }
        return new Release.Freed(othersMayWait);
    }

    /** Returns whether another client listens, or may ask from time to time because it cannot. */
    private boolean mayWaitElsewhere(InMemoryProtocol protocol, String name) {
        return !protocol.listens
                || listeners.stream().anyMatch(other -> other.protocol != protocol && other.name.equals(name));
    }

    /** Tells the listeners that a lock may be free, whether it is or not. */
    public void publish(String name) {
        publish(name, null);
    }

    private void publish(String name, @Nullable InMemoryProtocol to) {
        if (!losesMessages) {
            List<Listener> told;
            synchronized (this) {
                told = listeners.stream()
                        .filter(listener -> listener.name.equals(name) && (to == null || listener.protocol == to))
                        .toList();
            }
            told.forEach(listener -> listener.onFreed.run());
        }
    }

    synchronized Watch listen(InMemoryProtocol protocol, String name, Runnable onFreed) {
        Listener listener = new Listener(protocol, name, onFreed);
        listeners.add(listener);
        return () -> {
            synchronized (this) {
                listeners.removeIf(other -> other == listener);
            }
        };
    }

    public synchronized int listeners() {
        return listeners.size();
    }

    private @Nullable Entry live(String name) {
        Entry entry = entries.get(name);
        return entry == null || entry.untilNanos - clock.getAsLong() <= 0 ? null : entry;
    }

    public synchronized boolean isFree(String name) {
        return live(name) == null;
    }

    /** How long the lock is held if nothing happens; zero if it is free. */
    public synchronized Duration ttl(String name) {
        Entry entry = live(name);
        return entry == null ? Duration.ZERO : Duration.ofNanos(entry.untilNanos - clock.getAsLong());
    }

    /** Deletes the lock of any holder, without a message. */
    public synchronized void delete(String name) {
        entries.remove(name);
    }

    /** Makes another client, which is not part of the test, the holder. */
    public synchronized void steal(String name, Duration lease) {
        entries.put(name, new Entry("stranger", clock.getAsLong() + lease.toNanos()));
    }
}
