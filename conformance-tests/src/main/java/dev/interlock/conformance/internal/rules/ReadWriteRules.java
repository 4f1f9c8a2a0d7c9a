// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 14 of the contract: read/write locks. */
public abstract class ReadWriteRules extends ConditionRules {
    private static final int LOADED_THREADS = 3;
    private static final int LOADED_ROUNDS = 30;
    private static final int OVERLAPPING_READERS = 10;
    private static final int MANY = 100;

    ReadWriteRules() {}

    private DistributedReadWriteLock rw() {
        return factory().getReadWriteLock(name());
    }

    private DistributedReadWriteLock rwOfAnotherClient() {
        return newFactory().getReadWriteLock(name());
    }

    private static List<DistributedLock> sides(DistributedReadWriteLock lock) {
        return List.of(lock.readLock(), lock.writeLock());
    }

    /** A thread that holds a side. */
    private Actor holds(String who, DistributedLock side) {
        Actor actor = actor(who);
        actor.does("lock()", () -> locked(side));
        return actor;
    }

    /** A thread that waits for a side, and has its place. */
    private Waiting waits(String who, DistributedLock side) {
        return waits(actor(who), side);
    }

    private Waiting waits(Actor actor, DistributedLock side) {
        Waiting waiting = new Waiting(actor, actor.beginTo("lock()", side::lock), side);
        awaitPlace(actor, waiting.call, side);
        return waiting;
    }

    private void awaitPlace(Actor waiter, Pending<?> wait, DistributedLock side) {
        settleWell(waiter, wait);
        // The server replies in order, so it has seen the waiter's request too.
        actor("observer").beginTo("isLocked()", side::isLocked).outcome();
    }

    /** Runs a rule about the order of waiters, with one lock in two clients that have waited for it before. */
    private void withWaitersInOrder(BiConsumer<DistributedReadWriteLock, DistributedReadWriteLock> rule) {
        withWaitersInOrder(UnaryOperator.identity(), rule);
    }

    /** As {@link #withWaitersInOrder(BiConsumer)}, with a second client that is configured in its own way. */
    private void withWaitersInOrder(
            UnaryOperator<LockConfig.Builder> change,
            BiConsumer<DistributedReadWriteLock, DistributedReadWriteLock> rule) {
        List<DistributedLockFactory> clients = List.of(connected(factory()), connected(newFactory(change)));
        inCalm(() -> {
            List<DistributedReadWriteLock> locks = clients.stream()
                    .map(client -> client.getReadWriteLock(name()))
                    .toList();
            letEachWait(locks);
            rule.accept(locks.get(0), locks.get(1));
        });
    }

    /**
     * Makes each client listen. In its first wait a client asks again when it has begun to listen, so that a client
     * that asks in between would get ahead of it.
     */
    private void letEachWait(List<DistributedReadWriteLock> clients) {
        DistributedLock held = clients.get(0).writeLock();
        Actor writer = holds("writer to be", held);
        List<Pending<?>> waiting = new ArrayList<>();
        for (DistributedReadWriteLock client : clients) {
            DistributedLock side = client.readLock();
            Actor reader = actor("reader to be");
            Pending<?> turn = reader.beginTo("lock() and unlock()", () -> {
                side.lock();
                unlockAfterWait(side);
            });
            reader.settle(turn);
            waiting.add(turn);
        }
        unlock(writer, held);
        waiting.forEach(Pending::result);
    }

    private record Waiting(Actor actor, Pending<?> call, DistributedLock side) {
        void assertWaits(String why) {
            always(why, AsyncRules.A_WHILE, () -> !call.isDone());
        }

        void holds() {
            call.result();
        }

        /** Waits until it holds its side, and fails at once if somebody does who should come later. */
        void holdsBefore(Waiting... others) {
            eventually(
                    "somebody who waits gets in",
                    () -> call.isDone() || Stream.of(others).anyMatch(it -> it.call.isDone()));
            for (Waiting later : others) {
                assertFalse(later.call.isDone(), "a waiter should come after those that are ahead of it");
            }
            holds();
        }

        void holdsAndUnlocks() {
            holds();
            unlock();
        }

        void unlock() {
            actor.does("unlock()", side::unlock);
        }
    }

    /** Waits until one of several waiters holds its side, or has failed. */
    private static Waiting firstToHold(List<Waiting> waiters) {
        eventually("somebody who waits gets in", () -> waiters.stream().anyMatch(it -> it.call.isDone()));
        return waiters.stream().filter(it -> it.call.isDone()).findFirst().orElseThrow();
    }

    private static void unlock(Actor holder, DistributedLock side) {
        holder.does("unlock()", side::unlock);
    }

    /** Asserts that another thread can get a side, or cannot. If it gets the side, it gives it back. */
    private static void assertCanBeHad(boolean expected, DistributedLock side, String why) {
        assertEquals(expected, isFree(side), why);
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_1_readersShareTheLock() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        holds("reader", lock.readLock());
        assertCanBeHad(true, lock.readLock(), "a thread of the same client should read along");
        assertCanBeHad(true, other.readLock(), "another client should read along");
        Actor second = holds("second reader", lock.readLock());
        holds("third reader", other.readLock());
        unlock(second, lock.readLock());
        assertCanBeHad(false, other.writeLock(), "two of three readers are left");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_2_aWriterExcludesReaders() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor writer = holds("writer", lock.writeLock());
        assertCanBeHad(false, lock.readLock(), "a thread of the same client should not read while somebody writes");
        assertCanBeHad(false, other.readLock(), "another client should not read while somebody writes");
        unlock(writer, lock.writeLock());
        assertCanBeHad(true, other.readLock(), "nobody writes any more");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_3_aReaderExcludesWriters() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor reader = holds("reader", lock.readLock());
        assertCanBeHad(false, lock.writeLock(), "a thread of the same client should not write while somebody reads");
        assertCanBeHad(false, other.writeLock(), "another client should not write while somebody reads");
        unlock(reader, lock.readLock());
        assertCanBeHad(true, other.writeLock(), "nobody reads any more");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_4_aWriterExcludesWriters() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor writer = holds("writer", lock.writeLock());
        assertCanBeHad(false, lock.writeLock(), "a thread of the same client should not write too");
        assertCanBeHad(false, other.writeLock(), "another client should not write too");
        unlock(writer, lock.writeLock());
        assertCanBeHad(true, other.writeLock(), "nobody writes any more");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_5_underLoadReadersNeverMeetAWriter() {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        Queue<String> meetings = new ConcurrentLinkedQueue<>();
        List<Pending<?>> calls = new ArrayList<>();
        for (DistributedReadWriteLock lock : List.of(rw(), rwOfAnotherClient())) {
            for (int i = 0; i < LOADED_THREADS; i++) {
                int thread = i;
                calls.add(actor("load").beginTo("read and write", () -> {
                    for (int round = 0; round < LOADED_ROUNDS; round++) {
                        boolean writes = (round + thread) % 4 == 0;
                        DistributedLock side = writes ? lock.writeLock() : lock.readLock();
                        side.lock();
                        int others = writes ? writers.getAndIncrement() + readers.get() : writers.get();
                        readers.addAndGet(writes ? 0 : 1);
                        // Long enough for somebody else to come in.
                        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
                        if (others > 0 || (writes ? readers.get() : writers.get()) > 0) {
                            meetings.add((writes ? "a writer" : "a reader") + " in round " + round);
                        }
                        (writes ? writers : readers).decrementAndGet();
                        side.unlock();
                    }
                }));
            }
        }
        calls.forEach(call -> call.result(Scale.PATIENCE.multipliedBy(6)));
        assertEquals(List.of(), List.copyOf(meetings), "who was not alone");
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_APART})
    public final void rule_14_6_aLockOfTheSameNameIsAnotherLock() {
        DistributedLock plain = lock();
        DistributedReadWriteLock lock = rw();
        holds("holder of the lock of that name", plain);
        assertCanBeHad(true, lock.writeLock(), "the lock of a name should not exclude its writers");
        assertCanBeHad(true, lock.readLock(), "the lock of a name should not exclude its readers");
        assertEquals(name(), lock.name(), "name()");
        sides(lock).forEach(side -> assertEquals(name(), side.name(), "name() of " + side));
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_7_eachSideTellsWhetherItIsHeld() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        for (DistributedLock side : sides(lock)) {
            Actor holder = holds("holder", side);
            boolean reads = side.equals(lock.readLock());
            assertEquals(
                    reads, other.readLock().isLocked(), () -> "isLocked() of the readers while " + side + " is held");
            assertEquals(
                    !reads, other.writeLock().isLocked(), () -> "isLocked() of the writers while " + side + " is held");
            unlock(holder, side);
            sides(other)
                    .forEach(free -> assertFalse(free.isLocked(), () -> "isLocked() of " + free + " after unlock()"));
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.REENTRANT})
    public final void rule_14_8_eachSideIsFreeAfterTheLastUnlock() {
        DistributedReadWriteLock lock = rw();
        for (DistributedLock side : sides(lock)) {
            Actor holder = holds("holder", side);
            holder.does("lock() again", side::lock);
            assertEquals(2, holder.call("getHoldCount()", side::getHoldCount), "the count of " + side);
            unlock(holder, side);
            assertTrue(isHeldBy(holder, side), "one hold is left of " + side);
            assertCanBeHad(false, lock.writeLock(), "one hold is left");
            unlock(holder, side);
            assertFalse(isHeldBy(holder, side), "no hold is left of " + side);
            assertCanBeHad(true, lock.writeLock(), "no hold is left");
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.REENTRANT})
    public final void rule_14_9_aReaderReEntersWhileAWriterWaits() {
        DistributedReadWriteLock lock = rw();
        Actor reader = holds("reader", lock.readLock());
        Waiting writer = waits("writer", rwOfAnotherClient().writeLock());
        reader.does("lock() again", lock.readLock()::lock);
        unlock(reader, lock.readLock());
        writer.assertWaits("a writer should wait for the last unlock of a reader");
        unlock(reader, lock.readLock());
        writer.holdsAndUnlocks();
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_10_aReaderMayHaveHandlesToo() {
        DistributedReadWriteLock lock = rw();
        Actor reader = holds("reader", lock.readLock());
        Waiting writer = waits("writer", rwOfAnotherClient().writeLock());
        LockHandle handle = reader.call("acquire()", lock.readLock()::acquire);
        unlock(reader, lock.readLock());
        writer.assertWaits("a writer should wait for the handle of a reader");
        actor("closer").does("close()", handle::close);
        writer.holdsAndUnlocks();
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_11_aWriterMayReadAndGoOnReading() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor holder = holds("writer", lock.writeLock());
        holder.does("lock() of the read lock", lock.readLock()::lock);
        assertCanBeHad(false, other.readLock(), "the holder still writes");
        unlock(holder, lock.writeLock());
        assertTrue(isHeldBy(holder, lock.readLock()), "still reads");
        assertCanBeHad(true, other.readLock(), "the holder only reads");
        assertCanBeHad(false, other.writeLock(), "the holder still reads");
        unlock(holder, lock.readLock());
        assertCanBeHad(true, other.writeLock(), "nobody reads any more");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_12_noWriterComesBetweenInADowngrade() {
        DistributedReadWriteLock lock = rw();
        Actor holder = holds("writer", lock.writeLock());
        Waiting next = waits("next writer", rwOfAnotherClient().writeLock());
        holder.does("lock() of the read lock", lock.readLock()::lock);
        unlock(holder, lock.writeLock());
        next.assertWaits("a writer should wait for the one who goes on reading");
        unlock(holder, lock.readLock());
        next.holdsAndUnlocks();
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_13_afterADowngradeOthersReadAlong() {
        withWaitersInOrder((lock, other) -> {
            Actor holder = holds("writer", lock.writeLock());
            Waiting writer = waits("next writer", other.writeLock());
            Waiting reader = waits("waiting reader", other.readLock());
            holder.does("lock() of the read lock", lock.readLock()::lock);
            unlock(holder, lock.writeLock());
            reader.holdsBefore(writer);
            writer.assertWaits("a writer should wait for all readers");
            unlock(holder, lock.readLock());
            reader.unlock();
            writer.holdsAndUnlocks();
        });
    }

    /** The ways to acquire a lock that may have to be waited for. */
    private static Map<String, Actor.Action> waysToWait(DistributedLock side) {
        Map<String, Actor.Action> ways = new LinkedHashMap<>();
        ways.put("lockInterruptibly()", side::lockInterruptibly);
        ways.put("tryLock(time)", () -> side.tryLock(1, TimeUnit.HOURS));
        ways.put("acquire()", side::acquire);
        ways.put("tryAcquire(time)", () -> side.tryAcquire(Duration.ofHours(1)));
        return ways;
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_14_anUpgradeIsRefused() {
        DistributedReadWriteLock lock = rw();
        Actor reader = holds("reader", lock.readLock());
        Map<String, Actor.Action> ways = waysToWait(lock.writeLock());
        ways.put("lock()", lock.writeLock()::lock);
        ways.put("tryAcquire()", () -> lock.writeLock().tryAcquire());
        ways.forEach((what, way) -> reader.beginTo(what + " by a reader", way).failure(IllegalStateException.class));
        assertTrue(isHeldBy(reader, lock.readLock()), "still reads");
        assertCanBeHad(true, rwOfAnotherClient().readLock(), "nobody should be waiting to write");
        unlock(reader, lock.readLock());
        assertCanBeHad(true, lock.writeLock(), "nobody reads any more");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_15_tryLockOfAnUpgradeIsFalse() {
        DistributedReadWriteLock lock = rw();
        Actor reader = holds("reader", lock.readLock());
        assertFalse(triesToLock(reader, lock.writeLock()), "tryLock() by a reader");
        unlock(reader, lock.readLock());
        assertTrue(triesToLock(reader, lock.writeLock()), "tryLock() of a free lock");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_16_aSideIsUnlockedByItself() {
        DistributedReadWriteLock lock = rw();
        for (DistributedLock side : sides(lock)) {
            DistributedLock opposite = side.equals(lock.readLock()) ? lock.writeLock() : lock.readLock();
            Actor holder = holds("holder", side);
            holder.beginTo("unlock() of the other side", opposite::unlock).failure(IllegalMonitorStateException.class);
            assertEquals(0, holder.call("getHoldCount()", opposite::getHoldCount), "the count of the other side");
            assertTrue(isHeldBy(holder, side), () -> "still holds " + side);
            actor("stranger")
                    .beginTo("unlock() by another thread", side::unlock)
                    .failure(IllegalMonitorStateException.class);
            assertCanBeHad(false, lock.writeLock(), "one side is held");
            unlock(holder, side);
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_17_nobodyBeginsToReadWhileAWriterWaits() {
        withWaitersInOrder((lock, other) -> {
            Actor reader = holds("reader", lock.readLock());
            Waiting writer = waits("writer", other.writeLock());
            assertCanBeHad(
                    false, lock.readLock(), "tryLock() in the client of the reader, while somebody waits to write");
            assertCanBeHad(
                    false, other.readLock(), "tryLock() in the client of the writer, while somebody waits to write");
            Waiting late = waits("late reader", lock.readLock());
            late.assertWaits("a reader should wait behind a writer that waits");
            unlock(reader, lock.readLock());
            writer.holdsBefore(late);
            late.assertWaits("a reader should wait for the writer");
            writer.unlock();
            late.holdsAndUnlocks();
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_18_aReaderWaitsForOneWriterOnly() {
        withWaitersInOrder((lock, other) -> {
            Actor first = holds("first writer", lock.writeLock());
            Waiting second = waits("second writer", other.writeLock());
            Waiting reader = waits("reader", lock.readLock());
            unlock(first, lock.writeLock());
            reader.holdsBefore(second);
            second.assertWaits("a writer should wait for the reader that was there when the writer before it unlocked");
            reader.unlock();
            second.holdsAndUnlocks();
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_19_allWhoWaitToReadBeginTogether() {
        withWaitersInOrder((lock, other) -> {
            Actor first = holds("first writer", lock.writeLock());
            List<Waiting> readers = new ArrayList<>();
            readers.add(waits("reader", lock.readLock()));
            readers.add(waits("reader of the other client", other.readLock()));
            Waiting second = waits("second writer", other.writeLock());
            readers.add(waits("late reader", lock.readLock()));
            readers.add(waits("late reader of the other client", other.readLock()));
            unlock(first, lock.writeLock());
            readers.forEach(reader -> reader.holdsBefore(second));
            second.assertWaits("a writer should wait for all readers");
            readers.forEach(Waiting::unlock);
            second.holdsAndUnlocks();
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_20_writersComeInTheOrderOfTheirArrival() {
        withWaitersInOrder((lock, other) -> {
            Actor reader = holds("reader", lock.readLock());
            List<Waiting> writers = List.of(
                    waits("first writer", lock.writeLock()),
                    waits("second writer", other.writeLock()),
                    waits("third writer", lock.writeLock()));
            unlock(reader, lock.readLock());
            for (int i = 0; i < writers.size(); i++) {
                writers.get(i)
                        .holdsBefore(writers.subList(i + 1, writers.size()).toArray(Waiting[]::new));
                writers.get(i).unlock();
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_21_readersThatOverlapDoNotStarveAWriter() {
        withWaitersInOrder((lock, other) -> {
            DistributedLock side = lock.readLock();
            Actor present = holds("reader", side);
            Waiting writer = waits("writer", other.writeLock());
            // Each reader tries to come before the present one has gone.
            for (int i = 0; !writer.call.isDone(); i++) {
                assertTrue(i < OVERLAPPING_READERS, "readers that overlap should not starve a writer");
                Actor next = actor("next reader");
                Waiting reader = new Waiting(next, next.beginTo("lock()", side::lock), side);
                next.settle(reader.call);
                unlock(present, side);
                eventually("somebody who waits gets in", () -> reader.call.isDone() || writer.call.isDone());
                present = next;
            }
            writer.holdsAndUnlocks();
            unlock(present, side);
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_22_aWriterThatGivesUpLetsReadersIn() {
        withWaitersInOrder((lock, other) -> {
            Actor reader = holds("reader", lock.readLock());
            Actor writer = actor("writer");
            Pending<?> attempt = writer.beginTo("lockInterruptibly()", other.writeLock()::lockInterruptibly);
            awaitPlace(writer, attempt, other.writeLock());
            Waiting late = waits("late reader", lock.readLock());
            late.assertWaits("a reader should wait behind a writer that waits");
            writer.interrupt();
            attempt.failure(InterruptedException.class);
            late.holds();
            late.unlock();
            unlock(reader, lock.readLock());
            assertCanBeHad(true, lock.writeLock(), "nobody holds or waits");
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_23_aTimedWaitForASideEndsWithItsTime() {
        DistributedReadWriteLock lock = rw();
        holds("writer", lock.writeLock());
        for (DistributedLock side : sides(rwOfAnotherClient())) {
            Actor waiter = actor("waiter");
            long start = System.nanoTime();
            assertFalse(
                    waiter.call("tryLock(time)", () -> side.tryLock(WAIT.toNanos(), TimeUnit.NANOSECONDS)),
                    () -> "tryLock(time) of " + side);
            assertTrue(System.nanoTime() - start >= WAIT.toNanos(), () -> side + " should be waited for");
            assertEquals(
                    Optional.empty(), waiter.call("tryAcquire(time)", () -> side.tryAcquire(WAIT)), "tryAcquire(time)");
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_24_anInterruptEndsEveryWaitThatItMayEnd() {
        DistributedReadWriteLock lock = rw();
        Actor writer = holds("writer", lock.writeLock());
        for (DistributedLock side : sides(rwOfAnotherClient())) {
            waysToWait(side).forEach((what, way) -> {
                Actor waiter = actor("waiter");
                waiter.interrupt();
                waiter.beginTo(what + " of " + side + " with the status set", way)
                        .failure(InterruptedException.class);
                Pending<?> wait = waiter.beginTo(what + " of " + side, way);
                waiter.settle(wait);
                waiter.interrupt();
                wait.failure(InterruptedException.class);
                assertFalse(waiter.isInterrupted(), () -> "the interrupt status after " + what + " of " + side);
            });
        }
        unlock(writer, lock.writeLock());
        assertCanBeHad(true, lock.writeLock(), "nobody holds or waits");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_25_lockOfASideKeepsTheInterruptFlag() {
        withWaitersInOrder((lock, other) -> {
            Actor writer = holds("writer", lock.writeLock());
            List<Waiting> waiters = new ArrayList<>();
            for (DistributedLock side : sides(other)) {
                Actor interrupted = actor("waiter that was interrupted before");
                interrupted.interrupt();
                waiters.add(waits(interrupted, side));
                Waiting waiting = waits("waiter", side);
                waiting.actor.interrupt();
                waiters.add(waiting);
            }
            waiters.forEach(waiting -> waiting.assertWaits("an interrupt should not end lock()"));
            unlock(writer, lock.writeLock());
            // In any order: which of them comes first is the matter of other rules.
            while (!waiters.isEmpty()) {
                Waiting next = firstToHold(waiters);
                next.holds();
                assertTrue(next.actor.isInterrupted(), () -> "the interrupt status after lock() of " + next.side);
                next.unlock();
                waiters.remove(next);
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_26_eachReaderHasALeaseOfItsOwn() {
        DistributedReadWriteLock brief = connected(factory()).getReadWriteLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor reader = holds("reader", other.readLock());
        Actor dead = holds("reader that does not renew", brief.readLock());
        Waiting writer = waits("writer", other.writeLock());
        eventually("the lease of a reader that does not renew ends", () -> !isHeldBy(dead, brief.readLock()));
        assertTrue(isHeldBy(reader, other.readLock()), "the end of one lease should not end that of another reader");
        writer.assertWaits("a writer should wait for the reader that is left");
        unlock(reader, other.readLock());
        writer.holdsAndUnlocks();
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_27_aWriterComesWhenTheLeaseOfADeadReaderIsOver() {
        withLeaseThatEnds((again, time) -> {
            DistributedReadWriteLock brief = connected(factory()).getReadWriteLock(name(again), unrenewed(time));
            holds("reader that does not renew", brief.readLock());
            Waiting writer =
                    waits("writer", newFactory().getReadWriteLock(name(again)).writeLock());
            writer.call.result(untilFree(time));
            writer.unlock();
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_28_readersComeWhenTheLeaseOfADeadWriterIsOver() {
        withLeaseThatEnds((again, time) -> {
            DistributedReadWriteLock brief = connected(factory()).getReadWriteLock(name(again), unrenewed(time));
            DistributedReadWriteLock other = newFactory().getReadWriteLock(name(again));
            holds("writer that does not renew", brief.writeLock());
            Waiting first = waits("reader", other.readLock());
            Waiting second = waits("second reader", other.readLock());
            first.call.result(untilFree(time));
            second.call.result(untilFree(time));
            first.unlock();
            second.unlock();
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.AUTO_RENEWAL})
    public final void rule_14_29_theLeaseOfALiveHolderOfEitherSideIsExtended() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            LockOptions options = lease(time);
            DistributedLockFactory client = connected(factory());
            DistributedReadWriteLock read = client.getReadWriteLock(name("read " + again), options);
            DistributedReadWriteLock written = client.getReadWriteLock(name("written " + again), options);
            Actor reader = holds("reader", read.readLock());
            holds("second reader", read.readLock());
            Actor writer = holds("writer", written.writeLock());
            Pending<?> waits = actor("waiting writer")
                    .beginTo(
                            "lock()",
                            newFactory()
                                    .getReadWriteLock(name("read " + again), options)
                                    .writeLock()::lock);
            always("a live holder keeps its side", time.multipliedBy(5).dividedBy(4), () -> !waits.isDone());
            assertTrue(isHeldBy(reader, read.readLock()), "still reads");
            assertTrue(isHeldBy(writer, written.writeLock()), "still writes");
            assertCanBeHad(false, written.readLock(), "somebody writes");
            assertTrue(
                    newFactory()
                            .getReadWriteLock(name("written " + again))
                            .writeLock()
                            .isLocked(),
                    "isLocked()");
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_30_theLossOfASideIsToldToItsHolder() {
        for (boolean writes : List.of(false, true)) {
            DistributedReadWriteLock lock =
                    connected(factory()).getReadWriteLock(name("writes " + writes), unrenewed(Scale.SHORT_LEASE));
            DistributedLock side = writes ? lock.writeLock() : lock.readLock();
            Queue<LossCause> told = new ConcurrentLinkedQueue<>();
            Actor holder = holds("holder", side);
            Optional<Lease> lease = holder.call("lease()", side::lease);
            lease.ifPresent(held -> held.onLoss(told::add));
            eventually("the holder is told", () -> lease.isEmpty() || told.size() == 1);
            holder.beginTo("unlock() after the loss", side::unlock).failure(LeaseLostException.class);
            holder.does("lock() after the loss was told", () -> locked(side));
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs(
            value = {Capability.READ_WRITE, Capability.AUTO_RENEWAL},
            faults = Fault.FLUSH)
    public final void rule_14_31_aSideThatTheBackendForgotIsLost() {
        LockOptions options = lease(Scale.RENEWED_LEASE);
        DistributedReadWriteLock lock = connected(factory()).getReadWriteLock(name(), options);
        DistributedReadWriteLock second = factory().getReadWriteLock(name("written"), options);
        Actor reader = holds("reader", lock.readLock());
        Actor writer = holds("writer", second.writeLock());
        faults().inject(Fault.FLUSH);
        eventually("a reader that the backend forgot loses the lock", () -> !isHeldBy(reader, lock.readLock()));
        eventually("a writer that the backend forgot loses the lock", () -> !isHeldBy(writer, second.writeLock()));
        // With a lease that does not end while it is given back.
        assertCanBeHad(true, rwOfAnotherClient().writeLock(), "a renewal should not bring back what is gone");
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_14_32_aLostReplyLeavesNobodyBehind() {
        for (boolean writes : List.of(false, true)) {
            DistributedReadWriteLock lock =
                    connected(factory()).getReadWriteLock(name("writes " + writes), lease(Scale.LONG_LEASE));
            DistributedLock side = writes ? lock.writeLock() : lock.readLock();
            Actor asker = actor("asker");
            faults().inject(Fault.LOSE_NEXT_REPLY);
            Throwable thrown =
                    asker.beginTo("lock() without a reply", side::lock).outcome();
            assertTrue(thrown == null || thrown instanceof LockBackendException, () -> "lock() threw " + thrown);
            faults().heal();
            if (thrown == null) {
                unlock(asker, side);
            }
            DistributedLock visited =
                    newFactory().getReadWriteLock(name("writes " + writes)).writeLock();
            eventually("nobody is left behind", () -> isFree(visited));
        }
    }

    private long token(Actor holder, DistributedLock side) {
        return holder.call("lease()", side::lease)
                .orElseThrow()
                .fencingToken()
                .orElseThrow(() -> new AssertionError("no fencing token of " + side));
    }

    private long tokenOf(DistributedLock side) {
        Actor holder = holds("holder", side);
        long token = token(holder, side);
        unlock(holder, side);
        return token;
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.FENCING})
    public final void rule_14_33_theTokensOfWritersIncrease() {
        DistributedLock one = rw().writeLock();
        DistributedLock two = rwOfAnotherClient().writeLock();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            for (DistributedLock writer : List.of(one, two)) {
                long token = tokenOf(writer);
                long before = last;
                assertTrue(token > before, () -> token + " is not larger than " + before);
                last = token;
            }
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.FENCING})
    public final void rule_14_34_aReaderHasTheTokenOfTheLastWriter() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        long before = tokenOf(lock.writeLock());
        Actor reader = holds("reader", lock.readLock());
        assertEquals(before, token(reader, lock.readLock()), "the token of a reader");
        assertEquals(before, tokenOf(other.readLock()), "the token of a second reader");
        unlock(reader, lock.readLock());
        long after = tokenOf(other.writeLock());
        assertTrue(after > before, "a writer after readers should have a larger token");
        assertEquals(after, tokenOf(lock.readLock()), "the token of a reader after the next writer");
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.FENCING})
    public final void rule_14_35_aReaderBeforeAllWritersHasASmallerToken() {
        DistributedReadWriteLock lock = rw();
        long read = tokenOf(lock.readLock());
        long written = tokenOf(rwOfAnotherClient().writeLock());
        assertTrue(written > read, () -> "the token " + written + " of the first writer is not larger than " + read);
        assertNotEquals(0, read, "the token of the first reader");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_36_handlesShareAndExcludeAsThreadsDo() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor caller = actor("caller");
        LockHandle first = caller.call("acquire()", lock.readLock()::acquire);
        LockHandle second =
                caller.call("tryAcquire()", () -> lock.readLock().tryAcquire()).orElseThrow();
        assertEquals(name(), first.lockName(), "lockName()");
        assertCanBeHad(true, other.readLock(), "handles of readers should share");
        assertCanBeHad(false, other.writeLock(), "handles of readers should exclude writers");
        caller.does("close()", first::close);
        actor("closer").does("close()", second::close);
        LockHandle writer = caller.call("acquire()", lock.writeLock()::acquire);
        assertCanBeHad(false, other.readLock(), "the handle of a writer should exclude readers");
        actor("closer").does("close()", writer::close);
        assertCanBeHad(true, other.writeLock(), "all handles are closed");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_37_stagesOfReadersShareAndThoseOfWritersWait() {
        DistributedReadWriteLock lock = rw();
        LockHandle first = lock.readLock().acquireAsync().toCompletableFuture().join();
        LockHandle second = lock.readLock()
                .tryAcquireAsync(Scale.PATIENCE)
                .toCompletableFuture()
                .join()
                .orElseThrow(() -> new AssertionError("a second reader should not wait for the first"));
        var writer = rwOfAnotherClient().writeLock().acquireAsync().toCompletableFuture();
        always("a stage of a writer should wait for readers", AsyncRules.A_WHILE, () -> !writer.isDone());
        actor("closer").does("close()", first::close);
        actor("closer").does("close()", second::close);
        actor("closer")
                .does(
                        "close()",
                        () -> writer.get(Scale.PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
                                .close());
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_38_aViewSetsTheLeaseOfItsSide() {
        DistributedReadWriteLock lock = factory().getReadWriteLock(name(), unrenewed(Scale.LONG_LEASE));
        Duration shorter = Scale.LONG_LEASE.dividedBy(4);
        for (DistributedLock side : sides(lock)) {
            Actor holder = holds("holder", side.withLease(shorter));
            Lease lease = holder.call("lease()", side::lease).orElseThrow();
            assertTrue(lease.remaining().compareTo(shorter) <= 0, () -> "the lease of a view of " + side);
            unlock(holder, side);
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_39_closingAClientFreesBothSides() {
        DistributedLockFactory client = newFactory();
        holds("reader", client.getReadWriteLock(name("read")).readLock());
        holds("writer", client.getReadWriteLock(name("written")).writeLock());
        Actor waiter = actor("waiter");
        Pending<?> waits = waiter.beginTo(
                "lock()", client.getReadWriteLock(name("written")).readLock()::lock);
        waiter.settle(waits);
        actor("closer").does("close()", client::close);
        waits.failure(IllegalStateException.class);
        for (String which : List.of("read", "written")) {
            assertCanBeHad(true, factory().getReadWriteLock(name(which)).writeLock(), "the client was closed");
        }
        assertThrows(IllegalStateException.class, () -> client.getReadWriteLock(name()), "after close()");
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_40_aReadWriteLockHasANameAndNoConditions() {
        assertThrows(IllegalArgumentException.class, () -> factory().getReadWriteLock(" "), "a blank name");
        sides(rw())
                .forEach(side -> assertThrows(
                        UnsupportedOperationException.class, side::newCondition, () -> "newCondition() of " + side));
    }

    @Test
    @Tag("chapter-14")
    @Needs(without = Capability.READ_WRITE)
    public final void rule_14_41_aStrategyWithoutReadWriteLocksSaysSo() {
        UnsupportedOperationException refused = assertThrows(
                UnsupportedOperationException.class, () -> factory().getReadWriteLock(name()));
        assertTrue(
                String.valueOf(refused.getMessage()).contains(factory().strategy()),
                () -> "the message should name the strategy: " + refused.getMessage());
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, without = Capability.READ_WRITE_APART)
    public final void rule_14_42_aLockOfTheSameNameExcludesBothSidesWhereTheyAreKeptTogether() {
        DistributedLock plain = lock();
        DistributedReadWriteLock other = rwOfAnotherClient();
        Actor holder = holds("holder of the lock of that name", plain);
        sides(other).forEach(side -> assertCanBeHad(false, side, "the lock of the name is held: " + side));
        unlock(holder, plain);
        for (DistributedLock side : sides(other)) {
            Actor visitor = holds("holder of " + side, side);
            assertCanBeHad(false, plain, "one side is held: " + side);
            unlock(visitor, side);
            assertCanBeHad(true, plain, "nobody holds a side any more");
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs({Capability.READ_WRITE, Capability.READ_WRITE_FAIR})
    public final void rule_14_43_aStageOfAWriterThatIsCancelledLetsReadersIn() {
        withWaitersInOrder((lock, other) -> {
            for (Way way : PendingStage.WAYS) {
                Actor reader = holds("reader", lock.readLock());
                PendingStage writer = way.of(other.writeLock());
                eventually("a stage of a writer keeps readers out", () -> !isFree(lock.readLock()));
                Waiting late = waits("late reader", lock.readLock());
                late.assertWaits("a reader should wait behind the stage of a writer that waits");
                assertTrue(writer.future().cancel(true), "cancel() of a stage that waits");
                late.holdsAndUnlocks();
                unlock(reader, lock.readLock());
                assertCanBeHad(true, lock.writeLock(), "nobody holds or waits");
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_44_aStageOfAReaderThatIsCancelledLeavesNoPlace() {
        Thread caller = Thread.currentThread();
        Queue<Thread> madeByCaller = new ConcurrentLinkedQueue<>();
        withWaitersInOrder(
                config -> config.threadFactory(task -> {
                    Thread thread = new Thread(task, "made by the user");
                    thread.setDaemon(true);
                    // Other threads of the client come and go; they are made by threads of the client.
                    if (Thread.currentThread().equals(caller)) {
                        madeByCaller.add(thread);
                    }
                    return thread;
                }),
                (lock, other) -> {
                    for (Way way : PendingStage.WAYS) {
                        Actor first = holds("first writer", lock.writeLock());
                        madeByCaller.clear();
                        PendingStage reader = way.of(other.readLock());
                        List<Thread> ofStage = List.copyOf(madeByCaller);
                        Waiting second = waits("second writer", lock.writeLock());
                        assertTrue(reader.future().cancel(true), "cancel() of a stage that waits");
                        eventually(
                                "the thread of the stage ends when it has given the place up",
                                () -> ofStage.stream().anyMatch(it -> it.getState() == Thread.State.TERMINATED));
                        unlock(first, lock.writeLock());
                        assertFalse(
                                actor("observer").call("isLocked()", lock.readLock()::isLocked),
                                "the place of a reader whose stage was cancelled should not come to read");
                        second.holdsAndUnlocks();
                        assertCanBeHad(true, other.writeLock(), "nobody holds or waits");
                    }
                });
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, virtualThreads = true)
    public final void rule_14_45_stagesOfSidesThatWaitBlockNoPlatformThread() {
        DistributedReadWriteLock lock = rw();
        DistributedReadWriteLock other = rwOfAnotherClient();
        List<DistributedLock> sides =
                Stream.of(lock, other).flatMap(it -> sides(it).stream()).toList();
        Actor holder = holds("writer", lock.writeLock());
        // A platform thread is in the group of the thread that makes it; those of other tests are not.
        ThreadGroup group = new ThreadGroup("stages of sides");
        Actor caller = actorIn(group, "caller");
        List<PendingStage> stages = caller.call(
                "ask",
                () -> IntStream.range(0, MANY)
                        .mapToObj(i -> PendingStage.ACQUIRE.of(sides.get(i % sides.size())))
                        .toList());
        always(
                "stages should wait for their sides, and not each on a platform thread",
                AsyncRules.A_WHILE.multipliedBy(4),
                () -> group.activeCount() < MANY / 4 && stages.stream().noneMatch(PendingStage::isDone));
        stages.forEach(stage -> stage.future().cancel(true));
        unlock(holder, lock.writeLock());
        eventually("nobody holds or waits", () -> isFree(other.writeLock()));
    }

    /** Begins to acquire a side in another process. */
    private Pending<?> beginsThere(Peer peer, boolean writes, String name, LockOptions options) {
        return actor("caller of the other process")
                .beginTo(
                        "lock() in another process",
                        () -> granted(() -> writes ? peer.lockToWrite(name, options) : peer.lockToRead(name, options)));
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, processes = true)
    public final void rule_14_46_aSideOfAProcessThatIsKilledIsFreeAfterItsLease() {
        withLease(Scale.RENEWED_LEASE, Scale.RENEWED_LEASE.multipliedBy(6), (again, time) -> {
            String name = name(again);
            for (boolean writes : List.of(false, true)) {
                Peer peer = peer();
                beginsThere(peer, writes, name, lease(time)).result(Peer.LIMIT);
                Waiting writer =
                        waits("writer", factory().getReadWriteLock(name).writeLock());
                writer.assertWaits("a writer should wait for a holder in another process");
                peer.kill();
                writer.call.result(untilFree(time));
                writer.unlock();
                assertCanBeHad(
                        true,
                        newFactory().getReadWriteLock(name).readLock(),
                        "the lease of the process that was killed is over");
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, processes = true)
    public final void rule_14_47_whoeverIsKilledWhileItWaitsForASideHoldsNobodyUp() {
        inCalm(() -> {
            DistributedReadWriteLock lock = rw();
            for (boolean writes : List.of(false, true)) {
                // What the process waits for is held by the side that it would exclude.
                DistributedLock held = writes ? lock.readLock() : lock.writeLock();
                Actor holder = holds("holder", held);
                Peer peer = peer();
                Pending<?> there = beginsThere(peer, writes, name(), lease(Scale.LONG_LEASE));
                letItWait();
                assertFalse(there.isDone(), "a process should wait for a side that is excluded");
                peer.kill();
                there.outcome();
                if (writes) {
                    waits("reader", rwOfAnotherClient().readLock()).holdsAndUnlocks();
                }
                unlock(holder, held);
                waits("writer", rwOfAnotherClient().writeLock()).holdsAndUnlocks();
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, processes = true, signals = true)
    public final void rule_14_48_whoeverIsStoppedWhileItWaitsForASideHoldsNobodyUpAndMeetsNobody() {
        for (boolean writes : List.of(false, true)) {
            inCalm(() -> {
                DistributedReadWriteLock lock = rw();
                // What the process waits for is held by the side that it would exclude.
                DistributedLock held = writes ? lock.readLock() : lock.writeLock();
                Actor holder = holds("holder", held);
                Peer peer = peer();
                Pending<?> there = beginsThere(peer, writes, name(), lease(Scale.LONG_LEASE));
                letItWait();
                assertFalse(there.isDone(), "a process should wait for a side that is excluded");
                DistributedReadWriteLock other = rwOfAnotherClient();
                Waiting next = waits("next in line", writes ? other.readLock() : other.writeLock());
                // Its connection stays, so that its turn comes, and passes.
                peer.stop();
                unlock(holder, held);
                next.call.result(Scale.PATIENCE.multipliedBy(2));
                peer.goOn();
                always(
                        "a process that stood still should not get its side while it is excluded",
                        Scale.SHORT_LEASE,
                        () -> !there.isDone());
                next.unlock();
                there.result(Peer.LIMIT);
                assertTrue(peer.isHeld(name()), "a process that goes on after its turn should get its side later");
                assertEquals("", peer.unlock(name()), "what unlock() threw");
                assertCanBeHad(true, other.writeLock(), "nobody holds or waits");
                // The next client may use its process.
                peer.close();
            });
        }
    }

    @Test
    @Tag("chapter-14")
    @Needs(value = Capability.READ_WRITE, processes = true, signals = true)
    public final void rule_14_49_aStoppedHolderOfASideLosesItAndIsToldWhenItGoesOn() {
        withLease(Scale.RENEWED_LEASE.multipliedBy(2), Scale.RENEWED_LEASE.multipliedBy(6), (again, time) -> {
            String name = name(again);
            DistributedReadWriteLock other = newFactory().getReadWriteLock(name);
            for (boolean writes : List.of(false, true)) {
                Peer peer = peer();
                beginsThere(peer, writes, name, lease(time)).result(Peer.LIMIT);
                Waiting writer = waits("writer", other.writeLock());
                writer.assertWaits("a writer should wait for a holder in another process");
                peer.stop();
                writer.call.result(untilFree(time));
                peer.goOn();
                assertFalse(peer.isHeld(name), "a process that stood still should know at once that it lost its side");
                eventually("the process that stood still is told of its loss", () -> peer.losses(name) == 1);
                assertEquals("LeaseLostException", peer.unlock(name), "what unlock() throws after the loss");
                assertCanBeHad(false, newFactory().getReadWriteLock(name).readLock(), "the writer has the lock still");
                writer.unlock();
                // The next client may use its process.
                peer.close();
            }
        });
    }

    @Test
    @Tag("chapter-14")
    @Needs(Capability.READ_WRITE)
    public final void rule_14_50_anInterruptThatMeetsTheGrantOfASideHasOneOutcome() {
        inCalm(() -> {
            DistributedReadWriteLock lock = rw();
            for (DistributedLock side : sides(rwOfAnotherClient())) {
                // A writer keeps readers and writers waiting, and gets in only if nobody holds either side.
                assertOneOutcomeOfAnInterruptAtTheGrant(lock.writeLock(), side, lock.writeLock());
            }
        });
    }
}
