// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.backend.Claims;
import dev.interlock.engine.backend.Pace;
import dev.interlock.engine.backend.PendingReleases;
import dev.interlock.engine.backend.Releases;
import dev.interlock.engine.backend.SecondRequests;
import dev.interlock.engine.condition.LockConditions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LeakDetector;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.Host;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.readwrite.SidesProtocol;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Notices;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * The parts of a factory, and their wiring. Threads refer to this object and not to the factory, so that a dropped
 * factory can be detected. Safe to use from any thread.
 */
final class EngineCore {
    private static final QuietLog LOG = QuietLog.of(EngineCore.class);

    private static final long SHORTEST_CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int RENEWALS_AT_ONCE = 4;
    private static final int RELEASES_AT_ONCE = 2;

    private final LeaseProtocol protocol;
    private final LockConfig config;
    private final Environment env;
    private final String threadPrefix;

    private final Observer observer;
    private final SecondRequests secondRequests;
    private final CellTable cells;
    private final Timer timer;
    private final Lanes renewalLanes;
    private final Lanes releaseLanes;
    private final PendingReleases pendingReleases;
    private final Releases releases;
    private final Losses losses;
    private final Renewals renewals;
    private final Holds holds;
    private final Unlocks unlocks;
    private final Leases leases;
    private final Acquisitions acquisitions;

    private final Claims claims;
    private final LockConditions conditions;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final BooleanSupplier isOpen = open::get;

    EngineCore(String strategy, LeaseProtocol protocol, LockConfig config, Environment env, String threadPrefix) {
        this.protocol = SidesProtocol.around(protocol, key -> holds().currentToken(key));
        this.config = config;
        this.env = env;
        this.threadPrefix = threadPrefix;
        this.claims = new Claims(env, config.commandTimeout());
        Host host = new Host(
                env::nanoTime, env::park, env::unpark, (name, task) -> env.newThread(threadPrefix + "listener", task));
        this.observer = Observer.of(config.listeners(), host, strategy);
        this.timer = new Timer(env, threadPrefix + "timer", this::handle);
        this.secondRequests = new SecondRequests(env, this.protocol);
        this.cells = new CellTable(env, observer, timer, secondRequests, config.localHandoffs());
        this.renewalLanes = new Lanes(env, threadPrefix + "renewal", RENEWALS_AT_ONCE);
        this.releaseLanes = new Lanes(env, threadPrefix + "release", RELEASES_AT_ONCE);
        this.pendingReleases = new PendingReleases(env, this.protocol, timer, releaseLanes);
        this.releases = new Releases(env, this.protocol, releaseLanes, pendingReleases);
        LostHolds lostHolds = new LostHolds(env, config.commandTimeout().toNanos());
        this.losses = new Losses(env, observer, cells, releases, new Notices(env, threadPrefix + "notice"), lostHolds);
        this.renewals = new Renewals(env, observer, this.protocol, renewalLanes, losses);
        this.holds = new Holds(env, this.protocol, cells, renewals, losses, lostHolds);
        ConditionProtocol kept = this.protocol.conditions().orElse(null);
        this.conditions = new LockConditions(env, strategy, kept, isOpen);
        this.unlocks = new Unlocks(env, observer, cells, holds, releases, losses, lostHolds, kept);
        this.leases = new Leases(env, renewals, losses, lostHolds);
        this.acquisitions = new Acquisitions(this, observer, cells, holds, unlocks);
        this.protocol.watchTakeovers(cells::takeover);
        observer.recordServers(this.protocol::servers);
    }

    /** Handles the entries that are due. After a failure they are handled again, which is harmless. */
    private void handle(List<Timer.Entry> due) {
        pendingReleases.handleOwn(due);
        if (!due.isEmpty()) {
            renewals.handle(due.stream().map(Grant.class::cast).toList());
        }
    }

    Environment environment() {
        return env;
    }

    /** The name of a thread of this factory that does a job. */
    String threadName(String job) {
        return threadPrefix + job;
    }

    LeaseProtocol protocol() {
        return protocol;
    }

    /** Starts the timer's thread before a lock is acquired, so that every lock can be renewed. */
    void startTimer() {
        timer.ensureStarted();
    }

    SecondRequests secondRequests() {
        return secondRequests;
    }

    Releases releases() {
        return releases;
    }

    Leases leases() {
        return leases;
    }

    Holds holds() {
        return holds;
    }

    Unlocks unlocks() {
        return unlocks;
    }

    Acquisitions acquisitions() {
        return acquisitions;
    }

    LockConditions conditions() {
        return conditions;
    }

    CellTable cells() {
        return cells;
    }

    LockOptions lockDefaults() {
        return config.lockDefaults();
    }

    /** Creates the pace of an acquisition that has to wait. */
    Pace newPace(LockOptions options) {
        return new Pace(env, config.waitCeiling().toNanos(), options.lease().toNanos());
    }

    BooleanSupplier open() {
        return isOpen;
    }

    boolean isOpen() {
        return open.get();
    }

    void requireOpen() {
        if (!open.get()) {
            throw new IllegalStateException("the lock factory is closed");
        }
    }

    /** Tells whether any client holds a lock. */
    boolean isLocked(String name) {
        requireOpen();
        return secondRequests.ask(name, config.commandTimeout(), () -> Wait.undisturbed(() -> protocol.isLocked(name)));
    }

    Losses losses() {
        return losses;
    }

    Claim newClaim(Cell cell, LockOptions options, boolean waiting) {
        return claims.next(cell.name, options, cell.fencesWanted(), waiting);
    }

    /** Lets all leases run out, and then closes. For a factory that was dropped. Does not block. */
    void closeWhenExpired() {
        long untilNanos = holds.drop();
        try {
            env.newThread(threadPrefix + "close", () -> {
                        cells.awaitEmpty(Wait.uninterruptibly(env), untilNanos);
                        close();
                    })
                    .start();
        } catch (Throwable e) {
            LeakDetector.afterNextCollection(this::closeWhenExpired);
            LOG.log(
                    System.Logger.Level.ERROR,
                    "no thread could be started that closes a dropped lock factory; this is tried again later",
                    e);
        }
    }

    /** Releases what is held, fails those who wait, and closes the protocol, within three command time-outs. */
    void close() {
        if (!open.compareAndSet(true, false)) {
            return;
        }
        Wait wait = Wait.uninterruptibly(env);
        wait.takeInterrupt();
        long timeoutNanos = config.commandTimeout().toNanos();
        long startNanos = env.nanoTime();
        long releasedByNanos = startNanos + Math.max(SHORTEST_CLOSE_NANOS / 2, 2 * timeoutNanos);
        long untilNanos = startNanos + Math.max(SHORTEST_CLOSE_NANOS, 3 * timeoutNanos);
        try {
            for (Cell cell : cells.all()) {
                cell.failAll(
                        new IllegalStateException("the lock factory was closed while a thread waited for lock \""
                                + cell.lockName() + "\""),
                        waiter -> true);
                cell.signal();
            }
            conditions.wakeAll();
            releases.all(holds.loseAll(LossCause.FACTORY_CLOSED), wait, releasedByNanos);
            cells.awaitEmpty(wait, untilNanos);
            List<Claim> pendings = new ArrayList<>();
            for (Timer.Entry entry : timer.close(wait, untilNanos)) {
                if (entry instanceof PendingReleases.Pending pending) {
                    pendings.add(pending.claim());
                }
            }
            renewalLanes.close(wait, untilNanos);
            releases.all(pendings, wait, untilNanos);
            releaseLanes.close(wait, untilNanos);
        } finally {
            wait.takeInterrupt();
            pendingReleases.close();
            protocol.close();
            observer.close();
            wait.end();
        }
    }
}
