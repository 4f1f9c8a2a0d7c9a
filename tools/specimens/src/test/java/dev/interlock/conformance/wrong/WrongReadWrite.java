// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.wrong;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.memory.MemoryReadWrite;
import dev.interlock.conformance.memory.MemoryServer;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.stages.SpoiltStages;
import dev.interlock.conformance.stages.WrongCarriers;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol.SideClaim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Read/write locks with a defect on the server or in one of their sides. */
final class WrongReadWrite {
    private WrongReadWrite() {}

    static List<WrongLock> locks() {
        return List.of(
                onTheServer("readersExcludeEachOther", ExclusiveReaders::new, "14.1", "14.19", "14.37"),
                onTheServer(
                        "readersIgnoreTheWriter", () -> new Reading((state, asked) -> true), "14.2", "14.5", "14.36"),
                onTheServer("writersIgnoreReaders", WritersIgnoreReaders::new, "14.3", "14.5", "14.36"),
                onTheServer("writersShareTheLock", WritersShare::new, "14.4"),
                onTheServer(
                        "readersOvertakeAWriterThatWaits",
                        () -> new Reading((state, asked) -> state.writer == null),
                        "14.17",
                        "14.21",
                        "14.22"),
                onTheServer("writersComeBeforeReaders", WritersFirst::new, "14.18", "14.19", "14.13"),
                onTheServer("readersComeOneByOne", OneByOne::new, "14.19"),
                onTheServer("theLastWriterComesFirst", LastWriterFirst::new, "14.20"),
                onTheServer("aHoldOfTheSameThreadDoesNotCount", WithoutWithin::new, "14.10", "14.11", "14.12"),
                onTheServer("aWriterThatUnlocksReadsNoMore", UnlocksBoth::new, "14.11", "14.12"),
                onTheServer("nobodyJoinsReaders", AdmitsNobodyBesides::new, "14.13"),
                onTheServer(
                        "aWriterThatGivesUpKeepsItsPlace",
                        () -> new KeepsPlaces(Access.WRITE),
                        "14.22",
                        "14.24",
                        "14.43"),
                onTheServer("aReaderThatGivesUpKeepsItsPlace", () -> new KeepsPlaces(Access.READ), "14.24", "14.44"),
                onTheServer("readersShareOneLease", OneLease::new, "14.26"),
                onTheServer("leasesOfSidesDoNotEndOnTheServer", NoExpiry::new, "14.26", "14.27", "14.28"),
                onTheServer("leasesOfSidesAreThreeTimesAsLong", LongLeases::new, "14.27", "14.28"),
                onTheServer("renewalOfASideDoesNotReachTheServer", NoRenewal::new, "14.29"),
                onTheServer("renewalBringsBackWhatIsGone", BringsBack::new, "14.31"),
                onTheServer("whatIsUndoneAfterALostReplyStays", UndoesNothing::new, "14.32"),
                onTheServer("writersRepeatTokens", RepeatsTokens::new, "14.33", "14.34", "14.35"),
                onTheServer("readersDrawTokens", ReadersDraw::new, "14.34"),
                onTheServer("readersBeforeAllWritersHaveTokenZero", ZeroForReaders::new, "14.35"),
                onTheServer("isLockedLooksAtBothSides", EitherSide::new, "14.7"),
                ofFactory("theWriteLockIsTheLockOfThatName", TakesPlainLock::new, "14.6", "14.2"),
                withSides("anInnerUnlockFreesTheReader", UnlocksAll::new, "14.8", "14.9"),
                withSides("reEntryAsksTheServer", ReEntersByServer::new, "14.9"),
                withSides("aTimedUpgradeIsJustFalse", TimedIsFalse::new, "14.14"),
                withSides("tryLockOfAnUpgradeThrows", TryLockThrows::new, "14.15"),
                withSides("unlockFreesEitherSide", UnlocksEither::new, "14.16"),
                withSides("aTimedWaitDoesNotWait", DoesNotWait::new, "14.23", "14.24"),
                withSides("anInterruptIsSwallowed", SwallowsInterrupts::new, "14.24", "14.25"),
                withSides("lockOfASideForgetsAnEarlierInterrupt", ForgetsEarlierInterrupts::new, "14.25"),
                withSides("anInterruptAfterTheGrantLeavesTheSideHeld", InterruptedLate::new, "14.50"),
                withSides("aLossIsNotTold", QuietLoss::new, "14.30"),
                withSides("handlesAreAlwaysWriters", WritersHandles::new, "14.36", "14.37"),
                withStages(
                        "aCancelledStageOfASideTakesItAllTheSame",
                        (correct, call) -> call.get().thenApply(result -> result),
                        "14.43",
                        "14.44",
                        "14.45"),
                withStages(
                        "aStageOfASideThatWaitsBlocksAThread",
                        (correct, call) -> WrongCarriers.blocking(call.get()),
                        "14.45"),
                withSides("aViewIsTheSideItself", NoViews::new, "14.38"),
                ofFactory("closingFreesNeitherSide", ClosesNothing::new, "14.39"),
                ofFactory("aBlankNameIsTaken", TakesBlankNames::new, "14.40"),
                withSides("conditionsAreLocal", LocalConditions::new, "14.40"),
                withoutReadWrite(),
                keptApartAndNotDeclared());
    }

    private static WrongLock onTheServer(String name, Supplier<MemoryReadWrite> wrong, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected MemoryServer server() {
                return new MemoryServer(wrong.get());
            }
        };
    }

    private static WrongLock ofFactory(String name, UnaryOperator<DistributedLockFactory> wrong, String... breaks) {
        return new WrongLock(name, breaks) {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return wrong.apply(correct);
            }
        };
    }

    /** A lock each side of which is made of the correct side and the opposite one. */
    private static WrongLock withSides(String name, BinaryOperator<DistributedLock> wrong, String... breaks) {
        return ofFactory(
                name,
                correct -> new ForwardingFactory(correct) {
                    @Override
                    protected DistributedReadWriteLock spoil(DistributedReadWriteLock lock) {
                        return new Sides(
                                lock.name(),
                                wrong.apply(lock.readLock(), lock.writeLock()),
                                wrong.apply(lock.writeLock(), lock.readLock()));
                    }
                },
                breaks);
    }

    /** A lock whose sides have wrong stages. */
    private static WrongLock withStages(String name, SpoiltStages.Spoiler spoiler, String... breaks) {
        return withSides(name, (side, other) -> new SpoiltStages(side, spoiler), breaks);
    }

    private record Sides(String name, DistributedLock readLock, DistributedLock writeLock)
            implements DistributedReadWriteLock {}

    private static boolean writes(DistributedLock side) {
        return side.toString().endsWith("writeLock");
    }

    // Defects on the server.

    private interface MayRead {
        boolean test(MemoryReadWrite.State state, SideClaim asked);
    }

    private static final class Reading extends MemoryReadWrite {
        private final MayRead mayRead;

        Reading(MayRead mayRead) {
            this.mayRead = mayRead;
        }

        @Override
        protected boolean mayRead(State state, SideClaim asked) {
            return mayRead.test(state, asked) || super.mayRead(state, asked);
        }
    }

    private static final class ExclusiveReaders extends MemoryReadWrite {
        @Override
        protected boolean mayRead(State state, SideClaim asked) {
            return super.mayRead(state, asked)
                    && (state.readers.isEmpty()
                            || state.readers.containsKey(asked.claim().token()));
        }

        @Override
        protected boolean admit(State state) {
            return false;
        }
    }

    private static final class WritersIgnoreReaders extends MemoryReadWrite {
        @Override
        protected boolean mayWrite(State state, SideClaim asked) {
            return state.writer == null || super.mayWrite(state, asked);
        }
    }

    private static final class WritersShare extends MemoryReadWrite {
        @Override
        protected boolean mayWrite(State state, SideClaim asked) {
            return state.readers.isEmpty();
        }
    }

    private static final class WritersFirst extends MemoryReadWrite {
        @Override
        protected void settle(State state, @Nullable Access given) {
            super.settle(state, state.toWrite.isEmpty() ? given : Access.READ);
        }
    }

    private static final class OneByOne extends MemoryReadWrite {
        @Override
        protected boolean admit(State state) {
            List<SideClaim> others = state.toRead.stream().skip(1).toList();
            state.toRead.removeAll(others);
            boolean any = super.admit(state);
            state.toRead.addAll(others);
            return any;
        }
    }

    private static final class LastWriterFirst extends MemoryReadWrite {
        @Override
        @Nullable
        protected SideClaim nextWriter(Deque<SideClaim> waiting) {
            return waiting.pollLast();
        }
    }

    private static final class WithoutWithin extends MemoryReadWrite {
        @Override
        protected boolean mayRead(State state, SideClaim asked) {
            return super.mayRead(state, new SideClaim(asked.side(), asked.claim(), Optional.empty()));
        }
    }

    private static final class UnlocksBoth extends MemoryReadWrite {
        @Override
        protected Release release(SideClaim given) {
            if (!reads(given)) {
                state(given).readers.clear();
            }
            return super.release(given);
        }
    }

    private static final class AdmitsNobodyBesides extends MemoryReadWrite {
        @Override
        protected boolean admit(State state) {
            return state.readers.isEmpty() && super.admit(state);
        }
    }

    private static final class KeepsPlaces extends MemoryReadWrite {
        private final Access kept;

        KeepsPlaces(Access kept) {
            this.kept = kept;
        }

        @Override
        protected void withdraw(State state, SideClaim given) {
            if (given.side().access() != kept) {
                super.withdraw(state, given);
            }
        }
    }

    private static final class OneLease extends MemoryReadWrite {
        @Override
        protected void grantRead(State state, String token, long until) {
            super.grantRead(state, token, until);
            long last = state.readers.values().stream().max(Long::compare).orElse(until);
            state.readers.replaceAll((reader, end) -> last);
        }
    }

    private static final class NoExpiry extends MemoryReadWrite {
        @Override
        protected boolean expire(State state) {
            return false;
        }
    }

    private static final class LongLeases extends MemoryReadWrite {
        @Override
        protected Attempt attempt(SideClaim asked) {
            Claim claim = asked.claim();
            Claim longer = claim.withLease(claim.lease().multipliedBy(3));
            return WrongLeases.ifGranted(
                    super.attempt(new SideClaim(asked.side(), longer, asked.within())),
                    granted -> new Attempt.Granted(claim.lease(), granted.firstFence()));
        }
    }

    private static final class NoRenewal extends MemoryReadWrite {
        @Override
        protected Renewal renew(SideClaim claim) {
            return new Renewal.Renewed(claim.claim().lease());
        }
    }

    private static final class BringsBack extends MemoryReadWrite {
        @Override
        protected Renewal renew(SideClaim claim) {
            attempt(claim);
            return super.renew(claim);
        }
    }

    private static final class UndoesNothing extends MemoryReadWrite {
        private boolean lost;

        @Override
        protected void suffer(Fault fault) {
            lost |= fault == Fault.LOSE_NEXT_REPLY;
        }

        @Override
        protected Release release(SideClaim given) {
            return lost ? new Release.Freed(false) : super.release(given);
        }
    }

    private static final class RepeatsTokens extends MemoryReadWrite {
        @Override
        protected OptionalLong writersFence(State state) {
            state.fence = 1;
            return OptionalLong.of(1);
        }
    }

    private static final class ReadersDraw extends MemoryReadWrite {
        @Override
        protected OptionalLong readersFence(State state) {
            return writersFence(state);
        }
    }

    private static final class ZeroForReaders extends MemoryReadWrite {
        @Override
        protected OptionalLong readersFence(State state) {
            return OptionalLong.of(state.fence);
        }
    }

    private static final class EitherSide extends MemoryReadWrite {
        @Override
        protected boolean isLocked(LockSide side) {
            return super.isLocked(new LockSide(Access.READ, side.owner(), side.lockName()))
                    || super.isLocked(new LockSide(Access.WRITE, side.owner(), side.lockName()));
        }
    }

    // Defects in the factory.

    private static final class TakesPlainLock extends ForwardingFactory {
        TakesPlainLock(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        protected DistributedReadWriteLock spoil(DistributedReadWriteLock lock) {
            return new Sides(lock.name(), lock.readLock(), correct.getLock(lock.name()));
        }
    }

    private static final class ClosesNothing extends ForwardingFactory {
        ClosesNothing(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public void close() {}
    }

    private static final class TakesBlankNames extends ForwardingFactory {
        TakesBlankNames(DistributedLockFactory correct) {
            super(correct);
        }

        @Override
        public DistributedReadWriteLock getReadWriteLock(String name) {
            return super.getReadWriteLock(name.isBlank() ? "blank" : name);
        }
    }

    private static WrongLock withoutReadWrite() {
        return new WrongLock("aLackIsNotExplained", "14.41") {
            @Override
            protected StrategyProfile profile() {
                return super.profile().without(Capability.READ_WRITE);
            }

            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    public DistributedReadWriteLock getReadWriteLock(String name, LockOptions options) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public DistributedReadWriteLock getReadWriteLock(String name) {
                        throw new UnsupportedOperationException();
                    }
                };
            }
        };
    }

    private static WrongLock keptApartAndNotDeclared() {
        return new WrongLock("theLockOfThatNameDoesNotExcludeItsSides", "14.42") {
            @Override
            protected StrategyProfile profile() {
                return super.profile().without(Capability.READ_WRITE_APART);
            }
        };
    }

    // Defects in a side.

    private static class Side extends ForwardingLock {
        final DistributedLock opposite;

        Side(DistributedLock correct, DistributedLock opposite) {
            super(correct);
            this.opposite = opposite;
        }

        /** The text of the correct side, by which rules tell the sides apart. */
        @Override
        public String toString() {
            return correct.toString();
        }
    }

    private static final class UnlocksAll extends Side {
        UnlocksAll(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void unlock() {
            do {
                super.unlock();
            } while (getHoldCount() > 0);
        }
    }

    private static final class ReEntersByServer extends Side {
        ReEntersByServer(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void lock() {
            if (isHeldByCurrentThread()) {
                acquireAsync().toCompletableFuture().join();
            }
            super.lock();
        }
    }

    private static final class TimedIsFalse extends Side {
        TimedIsFalse(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return !(writes(correct) && opposite.isHeldByCurrentThread()) && super.tryLock(time, unit);
        }
    }

    private static final class TryLockThrows extends Side {
        TryLockThrows(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public boolean tryLock() {
            if (writes(correct) && opposite.isHeldByCurrentThread()) {
                throw new IllegalStateException("an upgrade");
            }
            return super.tryLock();
        }
    }

    private static final class UnlocksEither extends Side {
        UnlocksEither(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void unlock() {
            if (!isHeldByCurrentThread() && opposite.isHeldByCurrentThread()) {
                opposite.unlock();
            } else {
                super.unlock();
            }
        }
    }

    private static final class DoesNotWait extends Side {
        DoesNotWait(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) {
            return tryLock();
        }
    }

    private static final class SwallowsInterrupts extends Side {
        SwallowsInterrupts(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void lock() {
            super.lock();
            Thread.interrupted();
        }

        @Override
        public LockHandle acquire() throws InterruptedException {
            Thread.interrupted();
            return super.acquire();
        }
    }

    private static final class ForgetsEarlierInterrupts extends Side {
        ForgetsEarlierInterrupts(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void lock() {
            Thread.interrupted();
            super.lock();
        }
    }

    private static final class InterruptedLate extends Side {
        InterruptedLate(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            super.lockInterruptibly();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static final class QuietLoss extends Side {
        QuietLoss(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        @SuppressWarnings("EmptyCatch") // This is what is wrong with it.
        public void unlock() {
            try {
                super.unlock();
            } catch (LeaseLostException e) {
                // Not told.
            }
        }
    }

    private static final class WritersHandles extends Side {
        WritersHandles(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        private DistributedLock writer() {
            return writes(correct) ? correct : opposite;
        }

        @Override
        public LockHandle acquire() throws InterruptedException {
            return writer().acquire();
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync() {
            return writer().acquireAsync();
        }
    }

    private static final class NoViews extends Side {
        NoViews(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public DistributedLock withLease(Duration lease) {
            return this;
        }
    }

    private static final class LocalConditions extends Side {
        LocalConditions(DistributedLock correct, DistributedLock opposite) {
            super(correct, opposite);
        }

        @Override
        public Condition newCondition() {
            return new ReentrantLock().newCondition();
        }
    }
}
