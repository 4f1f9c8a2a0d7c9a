// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.memory.ForwardingProtocol;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLease;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

final class WrongLifecycle {
    private WrongLifecycle() {}

    static List<WrongLock> locks() {
        return List.of(
                new SpoiltFactory("aSecondCloseIsAnError", ClosesOnce::new, "11.1"),
                new SpoiltFactory("closeReleasesOneHandleAfterTheOther", ReleasesInTurn::new, "11.19"),
                new FreesWhenClosedAgain("aSecondCloseFreesWhatTheFirstOneFreed", "11.1"),
                new SpoiltFactory("aClosedFactoryGivesLocks", GivesASpareLock::new, "11.2"),
                new WrongFaults.SpoiltLock("aLockOfAClosedFactoryIsTaken", IsTakenInsteadOfClosed::new, "11.3"),
                new GivesNothingBack(
                        "closeGivesNothingBack", "11.1", "11.4", "11.9", "11.12", "11.15", "11.16", "11.20", "15.7"),
                new WrongFaults.SpoiltLock("closeTellsNobody", TellsNobodyOfClosing::new, "11.5"),
                new WrongFaults.SpoiltLock("closeTellsASecondTimeLater", TellsOfClosingAgain::new, "11.5"),
                new WrongFaults.SpoiltLock("unlockAfterCloseIsNoError", UnlocksAnyway::new, "11.6"),
                new SpoiltFactory("aClosedFactoryAnswersNothing", AnswersNothing::new, "11.7"),
                new WrongFaults.SpoiltLock(
                        "closeEndsATimedWaitAsIfTheTimeWereOver", IsOverInsteadOfClosed::new, "11.3", "11.8", "11.9"),
                new WrongLock(
                        "allFactoriesShareOneConnection",
                        "11.1",
                        "11.3",
                        "11.4",
                        "11.8",
                        "11.9",
                        "11.10",
                        "11.12",
                        "11.15",
                        "11.16",
                        "11.17") {
                    @Override
                    protected MemoryServer server() {
                        return new SharedState();
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        return new SharesAConnection((SharedState) server, super.protocol(server, config));
                    }
                },
                new WrongLock("theLastConfigurationIsForAll", "11.11") {
                    @Override
                    protected MemoryServer server() {
                        return new SharedState();
                    }

                    @Override
                    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
                        Duration own = config.lockDefaults().lease();
                        return new SharesDefaults((SharedState) server, own, super.protocol(server, config));
                    }
                },
                new SpoiltFactory("closeSwallowsAnInterrupt", SwallowsAnInterrupt::new, "11.12"),
                new SpoiltFactory("closeAsksTheBackendFirst", AsksTheBackendFirst::new, "10.17", "11.13", "11.14"),
                new SpoiltFactory("aThreadOutlivesItsFactory", LeavesAThread::new, "11.17"),
                new SpoiltFactory("aThreadKeepsTheJvmAlive", KeepsTheJvmAlive::new, "11.18"));
    }

    /** A correct lock whose factories are broken. */
    private static final class SpoiltFactory extends WrongLock {
        private final UnaryOperator<DistributedLockFactory> spoiling;

        SpoiltFactory(String name, UnaryOperator<DistributedLockFactory> spoiling, String... breaks) {
            super(name, breaks);
            this.spoiling = spoiling;
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            return spoiling.apply(correct);
        }
    }

    private static class KnowsWhetherItIsClosed extends ForwardingFactory {
        volatile boolean closed;

        KnowsWhetherItIsClosed(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public void close() {
            closed = true;
            super.close();
        }
    }

    /** Spends a slow answer on each handle. */
    private static final class ReleasesInTurn extends ForwardingFactory {
        private final AtomicInteger handles = new AtomicInteger();

        ReleasesInTurn(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        protected DistributedLock spoil(DistributedLock lock) {
            return new ForwardingLock(lock) {
                @Override
                protected LockHandle spoil(LockHandle handle) {
                    handles.incrementAndGet();
                    return handle;
                }
            };
        }

        @Override
        public void close() {
            while (handles.getAndDecrement() > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(FaultInjector.DELAY.toNanos());
            }
            super.close();
        }
    }

    private static final class ClosesOnce extends KnowsWhetherItIsClosed {
        ClosesOnce(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public void close() {
            if (closed) {
                throw new IllegalStateException("closed already");
            }
            super.close();
        }
    }

    private static final class GivesASpareLock extends KnowsWhetherItIsClosed {
        private final DistributedLock spare;

        GivesASpareLock(DistributedLockFactory correct) {
            super(correct);
            spare = correct.getLock("spare");
        }

        @Override
        public DistributedLock getLock(String name) {
            return closed ? spare : super.getLock(name);
        }
    }

    private static final class AnswersNothing extends KnowsWhetherItIsClosed {
        AnswersNothing(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        protected DistributedLock spoil(DistributedLock lock) {
            return new ForwardingLock(lock) {
                @Override
                public Optional<Lease> lease() {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    return super.lease();
                }
            };
        }
    }

    private static final class SwallowsAnInterrupt extends ForwardingFactory {
        SwallowsAnInterrupt(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public void close() {
            Thread.interrupted();
            super.close();
        }
    }

    private static final class AsksTheBackendFirst extends KnowsWhetherItIsClosed {
        AsksTheBackendFirst(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                DistributedLock lock = correct.getLock("of one who closes");
                if (lock.tryLock()) {
                    lock.unlock();
                }
            }
            super.close();
        }
    }

    private static final class LeavesAThread extends ForwardingFactory {
        LeavesAThread(DistributedLockFactory correct) {
            super(correct);
            Thread thread = new Thread(() -> LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(1)), "heartbeat");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static final class KeepsTheJvmAlive extends ForwardingFactory {
        private final Thread thread = new Thread(() -> LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(1)), "heartbeat");

        KeepsTheJvmAlive(DistributedLockFactory correct) {
            super(correct);
            thread.setDaemon(false);
            thread.start();
        }

        @Override
        public void close() {
            LockSupport.unpark(thread);
            super.close();
        }
    }

    private static final class IsTakenInsteadOfClosed extends ForwardingLock {
        IsTakenInsteadOfClosed(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock() {
            try {
                return super.tryLock();
            } catch (IllegalStateException e) {
                return false;
            }
        }
    }

    private static final class IsOverInsteadOfClosed extends ForwardingLock {
        IsOverInsteadOfClosed(DistributedLock correct) {
            super(correct);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            try {
                return super.tryLock(time, unit);
            } catch (IllegalStateException e) {
                return false;
            }
        }
    }

    private static final class TellsNobodyOfClosing extends ForwardingLock {
        TellsNobodyOfClosing(DistributedLock correct) {
            super(correct);
        }

        @Override
        protected Lease spoil(Lease lease) {
            return new ForwardingLease(lease) {
                @Override
                public Registration onLoss(Consumer<? super LossCause> action) {
                    return super.onLoss(cause -> {
                        if (cause != LossCause.FACTORY_CLOSED) {
                            action.accept(cause);
                        }
                    });
                }
            };
        }
    }

    private static final class TellsOfClosingAgain extends ForwardingLock {
        TellsOfClosingAgain(DistributedLock correct) {
            super(correct);
        }

        @Override
        protected Lease spoil(Lease lease) {
            return new ForwardingLease(lease) {
                @Override
                public Registration onLoss(Consumer<? super LossCause> action) {
                    return super.onLoss(cause -> {
                        action.accept(cause);
                        if (cause == LossCause.FACTORY_CLOSED) {
                            Thread again = new Thread(() -> {
                                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                                action.accept(cause);
                            });
                            again.setDaemon(true);
                            again.start();
                        }
                    });
                }
            };
        }
    }

    /** Forgets a lock only at its unlock, so that each close of the factory frees it again, by name. */
    private static final class FreesWhenClosedAgain extends WrongLock {
        private final Map<LockConfig, Runnable> closings = Collections.synchronizedMap(new IdentityHashMap<>());

        FreesWhenClosedAgain(String name, String... breaks) {
            super(name, breaks);
        }

        @Override
        protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
            Set<String> taken = ConcurrentHashMap.newKeySet();
            closings.put(
                    config,
                    () -> server.request(config.commandTimeout(), () -> {
                        taken.forEach(server::remove);
                        return taken.size();
                    }));
            return new ForwardingProtocol(super.protocol(server, config)) {
                @Override
                public Attempt attempt(Claim claim) {
                    Attempt attempt = super.attempt(claim);
                    if (attempt instanceof Attempt.Granted) {
                        taken.add(claim.name());
                    }
                    return attempt;
                }
            };
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            Runnable closing = Objects.requireNonNull(closings.remove(config));
            return new KnowsWhetherItIsClosed(correct) {
                @Override
                public void close() {
                    if (closed) {
                        closing.run();
                    }
                    super.close();
                }
            };
        }
    }

    private static final class UnlocksAnyway extends ForwardingLock {
        UnlocksAnyway(DistributedLock correct) {
            super(correct);
        }

        @Override
        public void unlock() {
            try {
                super.unlock();
            } catch (LeaseLostException e) {
                if (e.lossCause() != LossCause.FACTORY_CLOSED) {
                    throw e;
                }
            }
        }
    }

    private static final class GivesNothingBack extends WrongLock {
        private final Map<LockConfig, Forgetful> protocols = Collections.synchronizedMap(new IdentityHashMap<>());

        GivesNothingBack(String name, String... breaks) {
            super(name, breaks);
        }

        @Override
        protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
            Forgetful protocol = new Forgetful(super.protocol(server, config));
            protocols.put(config, protocol);
            return protocol;
        }

        @Override
        protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
            Forgetful protocol = Objects.requireNonNull(protocols.remove(config));
            return new ForwardingFactory(correct) {
                @Override
                public void close() {
                    protocol.closing = true;
                    super.close();
                }
            };
        }
    }

    private static final class Forgetful extends ForwardingProtocol {
        private volatile boolean closing;

        Forgetful(LeaseProtocol correct) {
            super(correct);
        }

        @Override
        public Release release(Claim claim) {
            return closing ? new Release.Freed(true) : super.release(claim);
        }
    }

    /** State that several factories share though they should not. */
    private static final class SharedState extends MemoryServer {
        private volatile boolean closed;
        private volatile Duration lease = Duration.ZERO;
    }

    private static final class SharesAConnection extends WrongFaults.FailsUnless {
        private final SharedState shared;

        SharesAConnection(SharedState shared, LeaseProtocol correct) {
            super(() -> !shared.closed, Reason.UNREACHABLE, correct);
            this.shared = shared;
        }

        @Override
        public void close() {
            shared.closed = true;
        }
    }

    private static final class SharesDefaults extends ForwardingProtocol {
        private final SharedState shared;
        private final Duration own;

        SharesDefaults(SharedState shared, Duration own, LeaseProtocol correct) {
            super(correct);
            this.shared = shared;
            this.own = own;
            shared.lease = own;
        }

        @Override
        public Attempt attempt(Claim claim) {
            return super.attempt(claim.lease().equals(own) ? claim.withLease(shared.lease) : claim);
        }
    }
}
