// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.spi.StrategyProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A factory of locks over a {@link LeaseProtocol}: everything that {@link DistributedLock} promises, written once for all
 * strategies. Safe to use from any thread.
 */
public final class LockEngine implements DistributedLockFactory {
    private static final System.Logger LOG = System.getLogger(LockEngine.class.getPackageName());

    private final String strategy;
    private final StrategyProfile profile;
    private final LeaseProtocol protocol;
    private final LockConfig config;
    private final Environment env;

    private final CellTable cells;
    private final Releases releases;
    private final Tenures tenures;
    private final AtomicLong claims = new AtomicLong();
    private final AtomicBoolean open = new AtomicBoolean(true);

    private LockEngine(
            String strategy, StrategyProfile profile, LeaseProtocol protocol, LockConfig config, Environment env) {
        this.strategy = Objects.requireNonNull(strategy, "strategy");
        this.profile = Objects.requireNonNull(profile, "profile");
        this.protocol = Objects.requireNonNull(protocol, "protocol");
        this.config = Objects.requireNonNull(config, "config");
        this.env = Objects.requireNonNull(env, "env");
        this.cells = new CellTable(env);
        this.releases = new Releases(env, protocol);
        this.tenures = new Tenures(env, protocol, cells, releases, config.localHandoffs());
    }

    /**
     * Makes a factory of locks from a protocol, for use by a {@link dev.interlock.spi.LockStrategyProvider}. Does no I/O and starts no
     * thread.
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
        return new LockEngine(strategy, profile, protocol, config, env);
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
        return getLock(name, config.lockDefaults());
    }

    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        LockNames.check(name);
        Objects.requireNonNull(options, "options");
        requireOpen();
        return new EngineLock(this, name, options);
    }

    Environment environment() {
        return env;
    }

    LeaseProtocol protocol() {
        return protocol;
    }

    Releases releases() {
        return releases;
    }

    Tenures tenures() {
        return tenures;
    }

    long waitCeilingNanos() {
        return config.waitCeiling().toNanos();
    }

    boolean isOpen() {
        return open.get();
    }

    void requireOpen() {
        if (!open.get()) {
            throw new IllegalStateException("the lock factory is closed");
        }
    }

    Claim newClaim(String name, LockOptions options, boolean waiting) {
        return new Claim(
                name,
                env.newToken(),
                options.lease(),
                config.commandTimeout(),
                config.localHandoffs() + 1,
                claims.incrementAndGet(),
                waiting,
                options.renewal());
    }

    /** The number of names in use, for tests that look for what is left behind. */
    int cellCount() {
        return cells.size();
    }

    /** Returns the tenure, or {@code null} if the time ran out. */
    @Nullable
    Tenure acquire(String name, LockOptions options, Owner owner, Waiting waiting) throws InterruptedException {
        waiting.begin();
        try {
            requireOpen();
            Tenure mine = tenures.current(name);
            if (mine != null) {
                if (owner.thread() == null) {
                    throw new IllegalStateException("the current thread holds lock \"" + name
                            + "\" and would wait for itself; lease() shows its own hold");
                }
                if (tenures.reenter(mine)) {
                    tenures.tellHolds(mine);
                    return mine;
                }
            }
            Tenure tenure = acquireAnew(name, options, owner, waiting);
            while (tenure != null && tenures.wasLostUnseen(tenure)) {
                // The loss may have interrupted this thread.
                waiting.takeInterrupt();
                tenure = acquireAnew(name, options, owner, waiting);
            }
            if (waiting.isEndedByInterrupt()) {
                if (tenure != null) {
                    giveUpUnused(tenure);
                }
                waiting.throwIfInterrupted();
            }
            if (tenure != null) {
                tenures.tellHolds(tenure);
            }
            return tenure;
        } finally {
            waiting.end();
        }
    }

    private @Nullable Tenure acquireAnew(String name, LockOptions options, Owner owner, Waiting waiting) {
        Cell cell = cells.enter(name);
        Tenure tenure = null;
        try {
            tenure = new Acquisition(this, cell, options, owner, waiting).run();
            return tenure;
        } finally {
            if (tenure == null) {
                cells.leave(cell);
            }
        }
    }

    private void giveUpUnused(Tenure tenure) {
        try {
            tenures.release(tenure);
        } catch (LeaseLostException e) {
            LOG.log(System.Logger.Level.DEBUG, "lost between the grant and the interrupt", e);
        }
    }

    @Override
    public void close() {
        if (!open.compareAndSet(true, false)) {
            return;
        }
        Waiting waiting = Waiting.uninterruptibly(env);
        waiting.takeInterrupt();
        // Each request that is on its way ends within about one command time-out, and may be followed by a release.
        long untilNanos = env.nanoTime() + 2 * config.commandTimeout().toNanos() + TimeUnit.SECONDS.toNanos(1);
        try {
            List<Claim> held = endAll();
            releases.all(held, waiting);
            cells.awaitEmpty(waiting, untilNanos);
            tenures.close(waiting, untilNanos);
            releases.close(waiting, untilNanos);
        } finally {
            waiting.takeInterrupt();
            protocol.close();
            waiting.end();
        }
    }

    /** Fails those who wait, tells those who hold, and returns what they held. */
    private List<Claim> endAll() {
        List<Claim> held = new ArrayList<>();
        for (Cell cell : cells.all()) {
            Grant grant;
            cell.mutex.lock();
            try {
                cell.failAll(
                        new IllegalStateException(
                                "the lock factory was closed while a thread waited for lock \"" + cell.name + "\""),
                        waiter -> true);
                cell.signal();
                Tenure tenure = cell.holder;
                grant = tenure == null ? null : tenure.grant;
            } finally {
                cell.mutex.unlock();
            }
            if (grant != null) {
                tenures.lose(grant, LossCause.FACTORY_CLOSED);
                held.add(grant.claim);
            }
        }
        return held;
    }

    @Override
    public String toString() {
        return "DistributedLockFactory[" + strategy + (open.get() ? "" : ", closed") + "]";
    }
}
