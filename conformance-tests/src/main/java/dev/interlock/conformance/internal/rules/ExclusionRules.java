// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.load.Load;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 1 of the contract: exclusion. */
public abstract class ExclusionRules extends Stage {
    private static final Duration CEILING = Scale.millis(20);
    private static final long GAP_NANOS = 20_000;

    private static final int TAKE_OVERS = 3;
    private static final int TAKERS = 6;

    /** How long takers let a lease be: until its end comes near, they would only keep the machine from other rules. */
    private static final Duration BEFORE_TAKE_OVER =
            Scale.SHORT_LEASE.multipliedBy(3).dividedBy(4);

    ExclusionRules() {}

    /** A client whose waiters poll often, so that a load is quick even without wake-ups. */
    private DistributedLockFactory busyClient() {
        return newFactory(config -> config.waitCeiling(CEILING));
    }

    private Load load(int clients) {
        Load load = new Load(new Recorder()).names(name());
        for (int i = 1; i <= clients; i++) {
            load.client("client-" + i, busyClient());
        }
        return load;
    }

    private static boolean triesLock(Actor actor, DistributedLock lock) {
        return actor.call("tryLock()", () -> lock.tryLock());
    }

    private static boolean holds(Actor actor, DistributedLock lock) {
        return actor.call("isHeldByCurrentThread()", () -> lock.isHeldByCurrentThread());
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_1_aFreeLockIsGrantedAtOnce() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        assertTrue(triesLock(actor, lock), "tryLock() should have taken the lock, which was free");
        assertTrue(holds(actor, lock), "the thread that took the lock should hold it");
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.CLIENTS)
    public final void rule_1_2_aHeldLockIsRefusedToAnotherClient() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        actor("holder").does("lock()", lock::lock);
        Actor contender = actor("contender of another client");
        assertFalse(
                triesLock(contender, other),
                "two clients hold the lock: is it acquired in one step, under a key that is the same for both?");
        assertFalse(holds(contender, other), "a thread that was refused the lock should not hold it");
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_3_aHeldLockIsRefusedToAnotherThread() {
        DistributedLock lock = lock();
        actor("holder").does("lock()", lock::lock);
        Actor contender = actor("contender of the same client");
        assertFalse(triesLock(contender, lock), "two threads of one client hold the lock");
        assertFalse(holds(contender, lock), "a thread should not hold what another thread of its client holds");
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.NAMES)
    public final void rule_1_4_lockObjectsOfOneNameAreOneLock() {
        DistributedLock first = lock();
        DistributedLock second = lock();
        Actor holder = actor("holder");
        holder.does("lock()", first::lock);
        assertTrue(
                holds(holder, second),
                "a thread holds a lock through each object of its name, not only through the one that it locked");
        assertFalse(triesLock(actor("contender"), second), "two threads hold one lock by two objects of its name");
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_5_locksOfDifferentNamesAreIndependent() {
        actor("holder").does("lock()", lock()::lock);
        DistributedLock second = factory().getLock(name("Aa"));
        assertTrue(triesLock(actor("second holder"), second), "a lock was refused because one of another name is held");
        for (DistributedLockFactory client : List.of(factory(), newFactory())) {
            // The last name has the same hash code as the one that is held.
            for (String suffix : List.of("b", "c", "A", " a", "BB")) {
                assertTrue(
                        isFree(client.getLock(name(suffix))),
                        "lock \"" + name(suffix) + "\" was refused because \"" + name() + "\" and \"" + second.name()
                                + "\" are held: locks must be told apart by the whole name");
            }
        }
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_6_anUnlockedLockCanBeHadByAnotherClient() {
        List<DistributedLock> locks = List.of(lock(), lockOfAnotherClient());
        List<Actor> actors = List.of(actor("thread of client 1"), actor("thread of client 2"));
        for (int round = 0; round < 10; round++) {
            DistributedLock lock = locks.get(round % 2);
            Actor actor = actors.get(round % 2);
            assertTrue(
                    triesLock(actor, lock),
                    "round " + round + ": the other client has unlocked the lock, so it should be free");
            assertHeldBySomebody(locks.get(1 - round % 2));
            actor.does("unlock()", lock::unlock);
        }
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_7_ofManyThatTryAtOnceOneGetsTheLock() {
        int rounds = 15;
        // Votes can be split so that no client has a majority.
        boolean split = factory().profile().supports(Capability.QUORUM);
        List<DistributedLockFactory> clients =
                Stream.generate(this::newFactory).limit(4).toList();
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < 2 * clients.size(); i++) {
            actors.add(actor("thread " + i / clients.size() + " of client " + i % clients.size()));
        }
        for (int round = 0; round < rounds; round++) {
            String name = name("round " + round);
            CyclicBarrier start = new CyclicBarrier(actors.size());
            List<Pending<Boolean>> tries = new ArrayList<>();
            for (int i = 0; i < actors.size(); i++) {
                DistributedLock lock = clients.get(i % clients.size()).getLock(name);
                tries.add(actors.get(i).begin("tryLock()", () -> {
                    start.await();
                    return lock.tryLock();
                }));
            }
            long winners = tries.stream().filter(Pending::result).count();
            assertTrue(
                    winners <= 1,
                    winners + " of " + actors.size() + " threads hold the lock that they tried to take at once");
            assertTrue(
                    winners == 1 || split,
                    "nobody got the free lock that all tried to take: one attempt must not spoil another");
        }
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_8_threadsOfOneClientNeverHoldTheLockAtOnce() {
        assertExclusive(load(1).threads(6).rounds(20).styles(Load.BY_THREAD).run());
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.CLIENTS)
    public final void rule_1_9_severalClientsNeverHoldTheLockAtOnce() {
        assertExclusive(load(3).threads(1).rounds(20).styles(Load.BY_THREAD).run());
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_1_10_aHandleExcludesThreadsOfItsClient() {
        DistributedLock lock = lock();
        Actor actor = actor("holder of a handle");
        LockHandle lease = actor.call("acquire()", lock::acquire);
        assertFalse(triesLock(actor("contender"), lock), "a thread got the lock that a handle holds");
        assertFalse(
                triesLock(actor, lock),
                "the thread that acquired the handle got the lock too: a handle belongs to no thread");
        actor.does("close()", lease::close);
        assertFree(lock);
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_1_11_handlesAndThreadsOfDifferentClientsExcludeEachOther() {
        DistributedLock ours = lock();
        DistributedLock theirs = lockOfAnotherClient();
        Actor actor = actor("our thread");
        Actor other = actor("their thread");
        LockHandle lease = actor.call("acquire()", ours::acquire);
        assertFalse(triesLock(other, theirs), "a thread got the lock that another client's handle holds");
        actor.does("close()", lease::close);
        other.does("lock()", theirs::lock);
        assertTrue(
                actor.call("tryAcquire(0)", () -> ours.tryAcquire(Duration.ZERO))
                        .isEmpty(),
                "a handle got the lock that another client's thread holds");
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_12_allWaysToLockExcludeEachOther() {
        assertExclusive(load(2).threads(3).rounds(20).run());
    }

    @Test
    @Tag("chapter-1")
    @Needs(Capability.REENTRANT)
    public final void rule_1_13_nestedHoldsExcludeUntilTheLastUnlock() {
        assertExclusive(load(2).threads(2)
                .rounds(20)
                .styles(Load.BY_THREAD)
                .reentering()
                .run());
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_14_whatAHolderWroteIsSeenByTheNextOfItsClient() {
        TwoFields fields = new TwoFields();
        DistributedLockFactory client = busyClient();
        List<Pending<?>> ends = new ArrayList<>();
        int threads = 4;
        CyclicBarrier start = new CyclicBarrier(threads);
        int rounds = 25;
        for (int i = 0; i < threads; i++) {
            DistributedLock lock = client.getLock(name());
            ends.add(actor("writer " + i).beginTo("write", () -> {
                start.await();
                for (int round = 0; round < rounds; round++) {
                    lock.lock();
                    try {
                        fields.increment();
                    } finally {
                        lock.unlock();
                    }
                    // Some find the lock held, and others find it free.
                    LockSupport.parkNanos(round % 2 * GAP_NANOS);
                }
            }));
        }
        // The whole load takes longer than one call.
        ends.forEach(end -> end.result(Scale.PATIENCE.multipliedBy(3)));
        assertTrue(
                fields.isWhole(threads * rounds),
                "writes to plain fields under the lock were lost: does each holder see what the previous one wrote?");
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_15_locksCanBeTakenHandOverHand() {
        List<DistributedLock> chain = Stream.of("a", "b", "c", "d")
                .map(suffix -> factory().getLock(name(suffix)))
                .toList();
        List<DistributedLock> seenByOthers = new ArrayList<>();
        DistributedLockFactory others = newFactory();
        chain.forEach(lock -> seenByOthers.add(others.getLock(lock.name())));
        Actor walker = actor("walker");
        Deque<Integer> held = new ArrayDeque<>();
        for (int i = 0; i < chain.size(); i++) {
            walker.does("lock()", chain.get(i)::lock);
            held.add(i);
            if (held.size() > 2) {
                walker.does("unlock()", chain.get(held.remove())::unlock);
            }
            for (int j = 0; j < chain.size(); j++) {
                assertTrue(
                        isFree(seenByOthers.get(j)) != held.contains(j),
                        "after step " + i + " lock " + j + " should be " + (held.contains(j) ? "held" : "free")
                                + ": locks must not be released in the reverse order only, or all at once");
            }
        }
    }

    @Test
    @Tag("chapter-1")
    @Needs(virtualThreads = true)
    public final void rule_1_16_virtualThreadsAreOwnersOfTheirOwn() {
        DistributedLock lock = lock();
        Actor holder = virtualActor("virtual holder");
        holder.does("lock()", lock::lock);
        for (int i = 0; i < 8; i++) {
            Actor contender = virtualActor("virtual contender");
            assertFalse(
                    triesLock(contender, lock),
                    "two virtual threads hold the lock: is the owner identified by the carrier thread?");
            assertFalse(holds(contender, lock), "a virtual thread should not hold what another holds");
        }
        assertFalse(triesLock(actor("platform thread"), lock), "a platform thread got it too");
        holder.does("unlock()", lock::unlock);
        assertFree(lock);
    }

    @Test
    @Tag("chapter-1")
    @Needs(virtualThreads = true)
    public final void rule_1_17_manyVirtualThreadsExcludeEachOther() {
        Load load = load(2).names(name("a"), name("b"), name("c"), name("d"))
                .threads(100)
                .rounds(2)
                .hold(Duration.ofNanos(100_000))
                .virtual();
        assertExclusive(load.run());
    }

    @Test
    @Tag("chapter-1")
    public final void rule_1_18_waitersThatGiveUpDoNotBreakExclusion() {
        Load load = load(2).threads(4)
                .rounds(30)
                .styles(EnumSet.complementOf(EnumSet.of(Load.Style.TRY_LOCK)))
                .hold(Scale.millis(2))
                .patience(Scale.millis(2))
                .interrupting();
        assertExclusive(load.run());
    }

    @Test
    @Tag("chapter-1")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_1_19_oneClientAloneTakesOverALeaseThatEnded() {
        List<DistributedLockFactory> clients = new ArrayList<>();
        for (int i = 0; i < TAKERS; i++) {
            clients.add(connected(busyClient()));
        }
        connected(factory());
        for (int round = 0; round < TAKE_OVERS; round++) {
            String name = name("taken over " + round);
            Actor dead = actor("holder " + round);
            DistributedLock held = factory().getLock(name, unrenewed(Scale.SHORT_LEASE));
            dead.does("lock()", () -> locked(held));
            AtomicInteger holders = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            List<Pending<?>> ends = new ArrayList<>();
            for (DistributedLockFactory client : clients) {
                DistributedLock lock = client.getLock(name);
                ends.add(actor("taker").beginTo("tryLock() again and again", () -> {
                    pass(BEFORE_TAKE_OVER);
                    while (!over.get()) {
                        if (lock.tryLock()) {
                            most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                            pass(Scale.millis(20));
                            over.set(true);
                            holders.decrementAndGet();
                            lock.unlock();
                        }
                    }
                }));
            }
            ends.forEach(Pending::result);
            assertEquals(1, most.get(), "how many clients at once took over a lock whose lease had ended");
        }
    }

    /** Plain fields that only the lock guards. */
    private static final class TwoFields {
        private int first;
        private int second;

        void increment() {
            int next = first + 1;
            LockSupport.parkNanos(GAP_NANOS);
            first = next;
            second++;
        }

        boolean isWhole(int value) {
            return first == value && second == value;
        }
    }
}
