// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fair lock in memory: a release grants it to the client that has waited longest. Subclasses break a part of it. */
public class FairLock extends WrongLock {
    protected FairLock(String name, String... breaks) {
        super(name, breaks);
    }

    @Override
    protected StrategyProfile profile() {
        Set<Capability> capabilities = EnumSet.copyOf(MemoryHarness.PROFILE.capabilities());
        capabilities.add(Capability.FAIR);
        return new StrategyProfile(MemoryHarness.PROFILE.summary(), capabilities, MemoryHarness.PROFILE.assumptions());
    }

    @Override
    protected MemoryServer server() {
        return new Server();
    }

    @Override
    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
        return new MemoryProtocol(server, config.commandTimeout()) {
            @Override
            public boolean queues() {
                return true;
            }
        };
    }

    /** Keeps the waiting clients by name, in order of arrival. Called with this object's monitor held. */
    public static class Server extends MemoryServer {
        private static final Duration LONGEST_HAND_OFF = Duration.ofSeconds(2);

        private final Map<String, Deque<Claim>> asking = new HashMap<>();

        @Override
        protected Attempt attempt(Claim claim) {
            if (live(claim.name()) == null) {
                Deque<Claim> queue = queue(claim);
                if (!queue.isEmpty() && !isFor(queue.peekFirst(), claim)) {
                    handOver(claim.name());
                }
            }
            Attempt attempt = super.attempt(claim);
            if (attempt instanceof Attempt.Granted) {
                leave(claim);
            } else if (claim.isWaiting() && queue(claim).stream().noneMatch(other -> isFor(other, claim))) {
                queue(claim).addLast(claim);
            }
            return attempt;
        }

        @Override
        protected Release release(Claim claim) {
            leave(claim);
            Release release = super.release(claim);
            if (release instanceof Release.Freed) {
                handOver(claim.name());
            }
            return release;
        }

        @Override
        protected void signalled(Claim waiter) {
            super.signalled(waiter);
            queue(waiter).addLast(waiter);
        }

        /** Gives up the place that a signal has brought, for a waiter that holds the lock by another claim. */
        @Override
        void confirm(Claim waiter) {
            super.confirm(waiter);
            release(waiter);
        }

        /** A signalled waiter is granted the lock by a release, in its turn; until then it is not told. */
        @Override
        synchronized boolean isTold(Claim waiter) {
            Entry holder = live(waiter.name());
            return holder != null && holder.token().equals(waiter.token());
        }

        private void handOver(String name) {
            Claim next = next(asking.getOrDefault(name, new ArrayDeque<>()));
            if (next != null) {
                remove(name);
                put(handOver(next));
            }
        }

        private Deque<Claim> queue(Claim claim) {
            return asking.computeIfAbsent(claim.name(), name -> new ArrayDeque<>());
        }

        private static boolean isFor(Claim one, Claim other) {
            return one.token().equals(other.token());
        }

        void leave(Claim claim) {
            queue(claim).removeIf(other -> isFor(other, claim));
        }

        @Nullable
        protected Claim next(Deque<Claim> queue) {
            return queue.pollFirst();
        }

        /** Grants a released lock to the client that has waited longest, before that client learns of it. */
        protected Claim handOver(Claim claim) {
            return claim.lease().compareTo(LONGEST_HAND_OFF) < 0 ? claim : claim.withLease(LONGEST_HAND_OFF);
        }
    }
}
