// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.ServerStatus;
import dev.interlock.engine.backend.LockNames;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.environment.UserThreads;
import dev.interlock.engine.loss.LeakDetector;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.readwrite.ReadWriteLocks;
import dev.interlock.engine.several.NameSet;
import dev.interlock.engine.several.SeveralHolder;
import dev.interlock.engine.several.SeveralLock;
import dev.interlock.engine.threads.Wait;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.lang.ref.Cleaner;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A factory of locks over a {@link LeaseProtocol}: everything that {@link DistributedLock} promises, written once for
 * all strategies. Safe to use from any thread.
 */
public final class LockEngine implements DistributedLockFactory {
    /** Numbers the factories, to tell their threads apart. */
    private static final AtomicInteger FACTORIES = new AtomicInteger();

    private final String strategy;
    private final StrategyProfile profile;
    private final EngineCore core;
    private final ReadWriteLocks readWriteLocks;
    private final SeveralHolds severalHolds;
    private final Cleaner.Cleanable dropped;

    private LockEngine(String strategy, StrategyProfile profile, EngineCore core, SeveralHolds severalHolds) {
        this.strategy = strategy;
        this.profile = profile;
        this.core = core;
        this.readWriteLocks = new ReadWriteLocks(
                (key, options) -> new EngineLock(this, key, options),
                key -> core.holds().current(key) != null);
        this.severalHolds = severalHolds;
        this.dropped =
                LeakDetector.watch(this, new LeakDetector.OfFactory(strategy, core::isOpen, core::closeWhenExpired));
    }

    /**
     * Creates a factory of locks over a protocol, for use by a {@link dev.interlock.spi.LockStrategyProvider}. Does no
     * I/O and starts no thread.
     *
     * @param strategy the name of the strategy
     * @param profile what the locks promise and assume, with the configuration taken into account
     * @param protocol the protocol, which the factory closes
     * @param config the configuration, of which the engine reads the settings that all strategies share
     * @param env the source of time, waiting, threads and randomness
     * @return a new factory, which the caller must close
     */
    public static DistributedLockFactory newFactory(
            String strategy, StrategyProfile profile, LeaseProtocol protocol, LockConfig config, Environment env) {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(profile, "profile");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(env, "env");
        String threadPrefix = "interlock-" + strategy + "-" + FACTORIES.incrementAndGet() + "-";
        Environment threads = config.threadFactory()
                .<Environment>map(factory -> new UserThreads(env, factory))
                .orElse(env);
        EngineCore core = new EngineCore(strategy, protocol, config, threads, threadPrefix);
        return new LockEngine(strategy, profile, core, new SeveralHolds(core, config.commandTimeout()));
    }

    @Override
    public String strategy() {
        return strategy;
    }

    @Override
    public StrategyProfile profile() {
        return profile;
    }

    @Override
    public DistributedLock getLock(String name) {
        return getLock(name, core.lockDefaults());
    }

    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        LockNames.check(name);
        core.protocol().checkName(name);
        Objects.requireNonNull(options, "options");
        core.requireOpen();
        return new EngineLock(this, name, options);
    }

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name) {
        return getReadWriteLock(name, core.lockDefaults());
    }

    @Override
    public DistributedReadWriteLock getReadWriteLock(String name, LockOptions options) {
        if (!profile.supports(Capability.READ_WRITE)) {
            return DistributedLockFactory.super.getReadWriteLock(name, options);
        }
        LockNames.check(name);
        Objects.requireNonNull(options, "options");
        core.requireOpen();
        return readWriteLocks.get(name, options);
    }

    @Override
    public DistributedLock getLock(Collection<String> names) {
        return getLock(names, core.lockDefaults());
    }

    @Override
    public DistributedLock getLock(Collection<String> names, LockOptions options) {
        if (!profile.supports(Capability.SEVERAL_NAMES)) {
            return DistributedLockFactory.super.getLock(names, options);
        }
        NameSet set = NameSet.of(names);
        set.names().forEach(core.protocol()::checkName);
        if (set.names().size() == 1) {
            return getLock(set.names().get(0), options);
        }
        Objects.requireNonNull(options, "options");
        core.requireOpen();
        return new SeveralLock(new OfSeveral(), set, options);
    }

    EngineCore core() {
        return core;
    }

    @Override
    public void close() {
        core.close();
        dropped.clean();
    }

    @Override
    public List<ServerStatus> servers() {
        return core.isOpen() ? core.protocol().servers() : List.of();
    }

    @Override
    public String toString() {
        String servers = servers().stream().map(ServerStatus::toString).collect(Collectors.joining("; "));
        return "DistributedLockFactory[" + strategy + (core.isOpen() ? "" : ", closed")
                + (servers.isEmpty() ? "" : ": " + servers) + "]";
    }

    /** Gives locks over several names access to the engine. Keeps the factory from being dropped. */
    private final class OfSeveral implements SeveralHolder {
        @Override
        public Environment environment() {
            return core.environment();
        }

        @Override
        public String threadName(String job) {
            return core.threadName(job);
        }

        @Override
        public boolean lock(NameSet names, LockOptions options, Wait wait) throws InterruptedException {
            return severalHolds.acquire(names, options, true, wait) != null;
        }

        @Override
        public Optional<LockHandle> acquire(NameSet names, LockOptions options, Wait wait, @Nullable String place)
                throws InterruptedException {
            SeveralHold hold = severalHolds.acquire(names, options, false, wait);
            return hold == null ? Optional.empty() : Optional.of(LeaseView.OfHandle.of(LockEngine.this, hold, place));
        }

        @Override
        public void unlock(NameSet names) {
            severalHolds.unlock(names);
        }

        /**
         * Returns {@code true} if any of the names is locked, since the lock over all of them cannot be acquired then.
         */
        @Override
        public boolean isLocked(NameSet names) {
            return names.names().stream().anyMatch(core::isLocked);
        }

        @Override
        public boolean isHeldByCurrentThread(NameSet names) {
            return severalHolds.isHeldByCurrentThread(names);
        }

        @Override
        public int holdCount(NameSet names) {
            SeveralHold hold = severalHolds.currentOrTell(names);
            return hold == null ? 0 : hold.count;
        }

        @Override
        public int lastCount(NameSet names) {
            return severalHolds.lastCount(names);
        }

        @Override
        public Optional<Lease> lease(NameSet names) {
            return Optional.ofNullable(severalHolds.currentOrTell(names))
                    .map(hold -> new LeaseView(LockEngine.this, hold));
        }
    }
}
