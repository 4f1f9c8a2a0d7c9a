// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A backend in memory that costs next to nothing: requests for known names allocate nothing. Its leases do not expire.
 * Safe to use from any thread.
 */
final class Memory implements LeaseProtocol {
    private static final Release FREED = new Release.Freed(true);
    private static final Attempt REFUSED = new Attempt.Refused(Optional.empty());

    private final Attempt granted;
    private final Renewal renewed;

    /** The holders by the names of the locks; a free lock has an empty one. */
    private final ConcurrentMap<String, Holder> holders = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Collection<Runnable>> listeners = new ConcurrentHashMap<>();

    /**
     * The owner token of a lock, padded so that two of them do not share a cache line.
     */
    @SuppressWarnings("UnusedVariable") // What is there to take room.
    private static final class Holder extends AtomicReference<String> {
        private static final long serialVersionUID = 1L;

        private long a, b, c, d, e, f, g, h;
    }

    private Memory(Duration lease) {
        granted = new Attempt.Granted(lease, OptionalLong.empty());
        renewed = new Renewal.Renewed(lease);
    }

    /** Creates a factory all of whose locks have the lease of the configuration. */
    static DistributedLockFactory newFactory(LockConfig config) {
        return LockEngine.newFactory(
                "memory",
                new StrategyProfile("In memory", EnumSet.of(Capability.REENTRANT), EnumSet.noneOf(Assumption.class)),
                new Memory(config.lockDefaults().lease()),
                config,
                Environment.system());
    }

    @Override
    public Attempt attempt(Claim claim) {
        Holder holder = holders.get(claim.name());
        if (holder == null) {
            holder = holders.computeIfAbsent(claim.name(), name -> new Holder());
        }
        return holder.compareAndSet(null, claim.token()) || claim.token().equals(holder.get()) ? granted : REFUSED;
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        return Collections.nCopies(claims.size(), renewed);
    }

    @Override
    public Release release(Claim claim) {
        Holder holder = holders.get(claim.name());
        if (holder != null && claim.token().equals(holder.get())) {
            holder.set(null);
        }
        Collection<Runnable> told = listeners.get(claim.name());
        if (told != null) {
            told.forEach(Runnable::run);
        }
        return FREED;
    }

    @Override
    public boolean isLocked(String name) {
        Holder holder = holders.get(name);
        return holder != null && holder.get() != null;
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        Collection<Runnable> ofThisName = listeners.computeIfAbsent(name, key -> new ConcurrentLinkedQueue<>());
        ofThisName.add(onFreed);
        onFreed.run();
        return () -> ofThisName.remove(onFreed);
    }

    @Override
    public void close() {}
}
