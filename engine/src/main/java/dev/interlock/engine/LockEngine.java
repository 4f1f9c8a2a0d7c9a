// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.engine.backend.LockNames;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.environment.UserThreads;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.spi.StrategyProfile;
import java.lang.ref.Cleaner;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A factory of locks over a {@link LeaseProtocol}: everything that {@link DistributedLock} promises, written once for all
 * strategies. Safe to use from any thread.
 */
public final class LockEngine implements DistributedLockFactory {
    /** Tells the threads of one factory from those of another. */
    private static final AtomicInteger FACTORIES = new AtomicInteger();

    private final String strategy;
    private final StrategyProfile profile;
    private final EngineCore core;
    private final Cleaner.Cleanable dropped;

    private LockEngine(String strategy, StrategyProfile profile, EngineCore core) {
        this.strategy = strategy;
        this.profile = profile;
        this.core = core;
        this.dropped = Drops.watch(this, new Drops.OfFactory(core, strategy));
    }

    /**
     * Makes a factory of locks from a protocol, for use by a {@link dev.interlock.spi.LockStrategyProvider}. Does no I/O and starts
     * no thread of the factory's.
     *
     * @param strategy the name of the strategy
     * @param profile what the locks promise and assume, with the configuration taken into account
     * @param protocol the protocol, which the factory closes
     * @param config the configuration, of which the engine reads what concerns all strategies
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
        return new LockEngine(strategy, profile, new EngineCore(strategy, protocol, config, threads, threadPrefix));
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
        Objects.requireNonNull(options, "options");
        core.requireOpen();
        return new EngineLock(this, name, options);
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
    public String toString() {
        return "DistributedLockFactory[" + strategy + (core.isOpen() ? "" : ", closed") + "]";
    }
}
