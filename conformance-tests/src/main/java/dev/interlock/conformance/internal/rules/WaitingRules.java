// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.Capability;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 8 of the contract: waiting and wake-up. */
public abstract class WaitingRules extends FencingRules {
    /** A time between two polls that is longer than any test, so that a waiter that gets the lock was woken. */
    private static final Duration NO_POLLING = Duration.ofHours(1);

    private static final Duration OFTEN = Scale.millis(20);

    WaitingRules() {}

    /** A client that learns of a release by a message alone. */
    private DistributedLockFactory listeningClient() {
        return newFactory(config -> config.waitCeiling(NO_POLLING));
    }

    /** A client that learns of a release soon, by message or by polling. */
    private DistributedLockFactory attentiveClient() {
        boolean listens = factory().profile().supports(Capability.PUSH_WAKEUP);
        return newFactory(config -> config.waitCeiling(listens ? NO_POLLING : OFTEN));
    }

    /** Starts a thread that waits in lock(), and returns when it is blocked. */
    private Pending<?> waiterFor(DistributedLock lock, String name) {
        Actor waiter = actor(name);
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        waiter.settle(waiting);
        return waiting;
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_1_aReleaseLetsAWaiterOfAnotherClientIn() {
        DistributedLock lock = lock();
        assertAReleaseLetsIn(lock, lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-8")
    @Needs(Capability.PUSH_WAKEUP)
    public final void rule_8_2_aWaiterIsToldOfARelease() {
        DistributedLock lock = lock();
        assertAReleaseLetsIn(lock, listeningClient().getLock(name()));
    }

    /** Asserts that unlock() and close() each let a waiter in. */
    private void assertAReleaseLetsIn(DistributedLock lock, DistributedLock other) {
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        holder.does("lock()", lock::lock);
        assertLetsIn(waiter, other, holder, lock::unlock);
        LockHandle lease = holder.call("acquire()", lock::acquire);
        assertLetsIn(waiter, other, actor("closer"), lease::close);
    }

    private void assertLetsIn(Actor waiter, DistributedLock other, Actor releaser, Actor.Action release) {
        Pending<?> waiting = waiter.beginTo("lock()", other::lock);
        waiter.settle(waiting);
        assertFalse(waiting.isDone(), "lock() should wait while somebody else holds the lock");
        releaser.does("release", release);
        waiting.result();
        waiter.does("unlock()", () -> unlockAfterWait(other));
    }

    @Test
    @Tag("chapter-8")
    @Needs(Capability.PUSH_WAKEUP)
    public final void rule_8_3_aReleaseBeforeTheWaiterListensIsNotMissed() {
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        DistributedLockFactory listening = listeningClient();
        for (int round = 0; round < 40; round++) {
            // A fresh name, so that the waiter has to subscribe first.
            DistributedLock lock = factory().getLock(name("round " + round));
            DistributedLock other = listening.getLock(lock.name());
            holder.does("lock()", lock::lock);
            Pending<?> waiting = waiter.beginTo("lock()", other::lock);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50L * round));
            holder.does("unlock()", lock::unlock);
            waiting.result();
            waiter.does("unlock()", () -> unlockAfterWait(other));
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_4_everyWaiterOfAClientGetsItsTurn() {
        for (int handoffs : List.of(0, 1, 16)) {
            DistributedLock lock =
                    newFactory(config -> config.localHandoffs(handoffs)).getLock(name());
            Actor holder = holderOf(lock);
            List<Pending<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                waiting.add(actor("waiter " + i).beginTo("lock() and unlock() with " + handoffs + " hand-offs", () -> {
                    lock.lock();
                    unlockAfterWait(lock);
                }));
            }
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_5_everyWaitingClientGetsItsTurn() {
        inCalm(() -> {
            DistributedLock lock = lock();
            Actor holder = holderOf(lock);
            List<Pending<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                DistributedLock other = attentiveClient().getLock(name());
                Actor waiter = actor("waiter " + i);
                Pending<?> turn = waiter.beginTo("lock() and unlock()", () -> {
                    other.lock();
                    // Held long enough for the others, which were woken too, to be refused.
                    LockSupport.parkNanos(OFTEN.toNanos());
                    other.unlock();
                });
                waiter.settle(turn);
                waiting.add(turn);
            }
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
        });
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_6_waitersOfAClientAreServedInOrderOfArrival() {
        inCalm(again -> {
            DistributedLock lock = factory().getLock(name(again));
            Actor holder = holderOf(lock);
            List<String> served = Collections.synchronizedList(new ArrayList<>());
            List<String> arrived = new ArrayList<>();
            List<Pending<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(arrive(arrived, "lock() " + i, name -> {
                    lock.lock();
                    served.add(name);
                    lock.unlock();
                }));
                waiting.add(arrive(arrived, "acquire() " + i, name -> {
                    LockHandle lease = lock.acquire();
                    served.add(name);
                    lease.close();
                }));
                waiting.add(arrive(arrived, "tryLock(time) " + i, name -> {
                    assertTrue(
                            timedTryLock(lock, Scale.PATIENCE).call(),
                            name + " should get a lock that is freed in time");
                    served.add(name);
                    lock.unlock();
                }));
            }
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
            assertEquals(arrived, served, "the order in which the waiting threads of one client got the lock");
        });
    }

    private Pending<?> arrive(List<String> arrived, String name, Turn turn) {
        Actor waiter = actor(name);
        Pending<?> waiting = waiter.beginTo(name, () -> turn.take(name));
        settleWell(waiter, waiting);
        arrived.add(name);
        return waiting;
    }

    /** An action of a waiter when its turn has come. */
    private interface Turn {
        void take(String name) throws Exception;
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_7_aThreadThatLocksAgainQueuesBehindThoseWhoWait() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        Actor waiter = actor("waiter");
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        waiter.settle(waiting);
        Pending<?> again = holder.beginTo("unlock() and lock() again", () -> {
            lock.unlock();
            lock.lock();
        });
        eventually("somebody gets the lock", () -> waiting.isDone() || again.isDone());
        assertFalse(again.isDone(), "the thread that freed the lock overtook one of its client that waited for it");
        waiting.result();
        waiter.does("unlock()", () -> unlockAfterWait(lock));
        again.result();
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_8_tryLockDoesNotOvertakeThoseWhoWait() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        Pending<?> waiting = waiterFor(lock, "waiter");
        assertFalse(
                holder.call("unlock() and tryLock()", () -> {
                    lock.unlock();
                    return lock.tryLock();
                }),
                "tryLock() overtook a thread of the same client that waited for the lock");
        waiting.result();
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_9_aReleaseLetsInExactlyOne() {
        inCalm(() -> {
            List<DistributedLock> locks = new ArrayList<>();
            List<Actor> actors = new ArrayList<>();
            List<Pending<?>> waiting = new ArrayList<>();
            DistributedLock lock = lock();
            Actor holder = holderOf(lock);
            for (int client = 0; client < 2; client++) {
                DistributedLock other = attentiveClient().getLock(name());
                for (int thread = 0; thread < 2; thread++) {
                    Actor waiter = actor("waiter " + thread + " of client " + client);
                    Pending<?> pending = waiter.beginTo("lock()", other::lock);
                    waiter.settle(pending);
                    locks.add(other);
                    actors.add(waiter);
                    waiting.add(pending);
                }
            }
            holder.does("unlock()", lock::unlock);
            while (!waiting.isEmpty()) {
                eventually(
                        "a release lets one of those who wait in",
                        () -> waiting.stream().anyMatch(Pending::isDone));
                always(
                        "a release should let exactly one of those who wait in",
                        OFTEN,
                        () -> waiting.stream().filter(Pending::isDone).count() == 1);
                int in = 0;
                while (!waiting.get(in).isDone()) {
                    in++;
                }
                waiting.remove(in).result();
                actors.remove(in).does("unlock()", locks.remove(in)::unlock);
            }
            assertFree(lock);
        });
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_10_strayWakeUpsAreNoGrant() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        for (DistributedLock other : List.of(lock, lockOfAnotherClient())) {
            Actor thread = actor("thread");
            Actor handle = actor("handle");
            Pending<?> locking = thread.beginTo("lock()", other::lock);
            Pending<LockHandle> acquiring = handle.begin("acquire()", other::acquire);
            thread.settle(locking);
            handle.settle(acquiring);
            always("a wake-up that means nothing should not end a wait", Scale.millis(100), () -> {
                wakeForNothing(thread);
                wakeForNothing(handle);
                return !locking.isDone() && !acquiring.isDone();
            });
            holder.does("unlock()", lock::unlock);
            eventually("a waiter gets the lock", () -> locking.isDone() || acquiring.isDone());
            if (locking.isDone()) {
                locking.result();
                thread.does("unlock()", () -> unlockAfterWait(other));
                closeAfterWait(acquiring.result());
            } else {
                closeAfterWait(acquiring.result());
                locking.result();
                thread.does("unlock()", () -> unlockAfterWait(other));
            }
            holder.does("lock()", lock::lock);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_11_strayWakeUpsDoNotChangeATimedWait() {
        DistributedLock lock = lock();
        holderOf(lock);
        // Long enough for a wake-up to meet the wait on a machine that is busy elsewhere.
        Duration wait = WAIT.multipliedBy(4);
        for (DistributedLock other : List.of(lock, lockOfAnotherClient())) {
            Actor waiter = actor("waiter");
            Pending<Duration> waiting = refusal(waiter, "tryLock(time)", timedTryLock(other, wait));
            eventually("a timed wait ends though wake-ups that mean nothing go on", () -> {
                wakeForNothing(waiter);
                return waiting.isDone();
            });
            assertAtLeast(wait, "tryLock(time) under wake-ups that mean nothing", waiting.result());
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_12_aWaiterThatGaveUpHoldsUpNoOtherClient() {
        DistributedLock lock = lock();
        DistributedLock first = attentiveClient().getLock(name());
        DistributedLock second = attentiveClient().getLock(name());
        Actor holder = actor("holder");
        Actor hasty = actor("waiter that gives up");
        Actor patient = actor("waiter that stays");
        for (boolean byInterrupt : List.of(false, true)) {
            holder.does("lock()", lock::lock);
            Pending<?> givingUp = byInterrupt
                    ? hasty.beginTo("lockInterruptibly()", first::lockInterruptibly)
                    : refusal(hasty, "tryLock(time)", timedTryLock(first, WAIT));
            hasty.settle(givingUp);
            Pending<?> staying = patient.beginTo("lock()", second::lock);
            patient.settle(staying);
            if (byInterrupt) {
                hasty.interrupt();
                givingUp.failure(InterruptedException.class);
            } else {
                givingUp.result();
            }
            holder.does("unlock()", lock::unlock);
            staying.result();
            patient.does("unlock()", () -> unlockAfterWait(second));
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_13_localWaitersDoNotKeepOtherClientsOut() {
        DistributedLock busy = newFactory(config -> config.localHandoffs(4)).getLock(name());
        DistributedLock other = newFactory(config -> config.waitCeiling(OFTEN)).getLock(name());
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger turns = new AtomicInteger();
        List<Pending<?>> crowd = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            crowd.add(actor("one of many " + i).beginTo("lock() and unlock() again and again", () -> {
                while (!enough.get()) {
                    busy.lock();
                    turns.incrementAndGet();
                    LockSupport.parkNanos(Scale.millis(2).toNanos());
                    unlockAfterWait(busy);
                }
            }));
        }
        eventually("the threads of one client keep the lock busy", () -> turns.get() > crowd.size());
        Actor waiter = actor("waiter of another client");
        try {
            for (int turn = 0; turn < 3; turn++) {
                waiter.does("lock() while many threads of another client queue for the lock", other::lock);
                waiter.does("unlock()", () -> unlockAfterWait(other));
            }
        } finally {
            enough.set(true);
        }
        crowd.forEach(Pending::result);
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_14_waitingForOneNameDoesNotHinderAnother() {
        DistributedLock held = lock();
        Actor holder = holderOf(held);
        DistributedLockFactory client = newFactory();
        DistributedLock awaited = client.getLock(name());
        DistributedLock free = client.getLock(name("b"));
        Pending<?> waiting = waiterFor(awaited, "waiter");
        Actor visitor = actor("visitor of another name");
        visitor.does("lock() of another name", free::lock);
        visitor.does("unlock() of another name", free::unlock);
        boolean acquired = visitor.call("tryLock() of another name", free::tryLock);
        assertTrue(acquired, "tryLock() should get a free lock while a thread waits for one of another name");
        Pending<?> behind = waiterFor(free, "waiter of another name");
        visitor.does("unlock() of another name", free::unlock);
        behind.result();
        assertFalse(waiting.isDone(), "the lock is still held by another client");
        holder.does("unlock()", held::unlock);
        waiting.result();
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_15_waitersOfManyNamesDoNotHinderEachOther() {
        DistributedLockFactory client = attentiveClient();
        Actor holder = actor("holder");
        List<DistributedLock> held = new ArrayList<>();
        List<Pending<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String name = name("number " + i);
            DistributedLock lock = factory().getLock(name);
            holder.does("lock()", lock::lock);
            held.add(lock);
            DistributedLock other = client.getLock(name);
            Actor waiter = actor("waiter " + i);
            Pending<?> turn = waiter.beginTo("lock() and unlock() of one of many names", () -> {
                other.lock();
                unlockAfterWait(other);
            });
            // One after the other, since so many at once would split the votes of a quorum.
            waiter.settle(turn);
            waiting.add(turn);
        }
        for (int i = held.size() - 1; i >= 0; i--) {
            holder.does("unlock()", held.get(i)::unlock);
            waiting.get(i).result();
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_16_aWaiterGetsALockWhoseLeaseEnds() {
        DistributedLock other = connected(newFactory()).getLock(name());
        holdUntilTheLeaseEnds();
        Actor waiter = actor("waiter");
        waiter.does("lock() of a lock that nobody frees", other::lock);
        assertTrue(waiter.call("isHeldByCurrentThread()", other::isHeldByCurrentThread), "it should hold the lock");
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_17_aWaiterOfTheSameClientGetsALockWhoseLeaseEnds() {
        holdUntilTheLeaseEnds();
        DistributedLock lock = lock();
        Actor waiter = actor("waiter");
        waiter.does("lock() of a lock that nobody frees", lock::lock);
        assertTrue(waiter.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread), "it should hold the lock");
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_18_aWaiterDoesNotSpin() {
        DistributedLock lock = lock();
        holderOf(lock);
        for (DistributedLock other : List.of(lock, connected(newFactory()).getLock(name()))) {
            Actor waiter = actor("waiter");
            Pending<?> waiting = waiter.beginTo("lock()", other::lock);
            eventually("the waiter begins to wait", waiting::hasBegun);
            assertDoesNotSpin(waiter, waiting);
        }
    }

    private void assertDoesNotSpin(Actor waiter, Pending<?> waiting) {
        // On a busy machine a thread may run for that long until it waits.
        if (!runsForAWhile(waiter, waiting)) {
            return;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpuBefore = threads.getThreadCpuTime(waiter.thread().getId());
        long start = System.nanoTime();
        for (int i = 1; i < Stage.TRIES; i++) {
            retried("a waiter was running, and not waiting");
            if (!runsForAWhile(waiter, waiting)) {
                return;
            }
        }
        long cpu = threads.getThreadCpuTime(waiter.thread().getId()) - cpuBefore;
        long passed = System.nanoTime() - start;
        // A thread that blocks in native code counts as runnable and uses no time; one that spins on a busy machine may
        // get little time.
        assertTrue(
                cpu <= passed / 100,
                () -> "a waiter was always running and used " + cpu + " ns of processor time in " + passed + " ns");
    }

    private static boolean runsForAWhile(Actor waiter, Pending<?> waiting) {
        List<Thread.State> seen = new ArrayList<>();
        always("lock() should wait while the lock is held", Scale.millis(150), () -> {
            seen.add(waiter.thread().getState());
            return !waiting.isDone();
        });
        return seen.stream().filter(it -> it == Thread.State.RUNNABLE).count() * 10 > seen.size() * 9L;
    }

    @Test
    @Tag("chapter-8")
    @Needs(virtualThreads = true)
    public final void rule_8_19_virtualThreadsWaitWithoutTheirCarriers() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        DistributedLockFactory client = attentiveClient();
        DistributedLock other = client.getLock(name());
        List<Pending<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            waiting.add(virtualActor("virtual waiter " + i).beginTo("lock() and unlock()", () -> {
                other.lock();
                unlockAfterWait(other);
            }));
        }
        DistributedLock free = client.getLock(name("b"));
        Actor visitor = virtualActor("virtual visitor of another name");
        visitor.does("lock() of another name while many virtual threads wait", free::lock);
        visitor.does("unlock()", free::unlock);
        assertTrue(waiting.stream().noneMatch(Pending::isDone), "virtual threads should wait while the lock is held");
        holder.does("unlock()", lock::unlock);
        waiting.forEach(Pending::result);
    }

    @Test
    @Tag("chapter-8")
    @Needs(value = Capability.PUSH_WAKEUP, faults = Fault.CUT_NOTIFICATIONS)
    public final void rule_8_20_aDroppedSubscriptionLosesNoRelease() {
        DistributedLock lock = lock();
        DistributedLock other = listeningClient().getLock(name());
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        for (Duration silence : List.of(Duration.ZERO, Scale.millis(200))) {
            holder.does("lock()", lock::lock);
            Pending<?> waiting = waiter.beginTo("lock()", other::lock);
            waiter.settle(waiting);
            faults().inject(Fault.CUT_NOTIFICATIONS);
            pass(silence);
            assertFalse(waiting.isDone(), "a lost subscription should not end a wait while the lock is held");
            holder.does("unlock()", lock::unlock);
            waiting.result();
            waiter.does("unlock()", () -> unlockAfterWait(other));
        }
    }

    @Test
    @Tag("chapter-8")
    @Needs(faults = Fault.CUT_CONNECTIONS)
    public final void rule_8_21_cutConnectionsDoNotEndAWait() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        // The first attempt of a wait throws in an outage, so connections must be open before it.
        assertFalse(other.tryLock(), "tryLock() while somebody else holds the lock");
        Actor waiter = actor("waiter of another client");
        Pending<?> remote = waiter.beginTo("lock()", other::lock);
        settleWell(waiter, remote);
        Pending<?> local = waiterFor(lock, "waiter of the holder's client");
        faults().inject(Fault.CUT_CONNECTIONS);
        always("cut connections should not end a wait", Scale.millis(200), () -> !remote.isDone() && !local.isDone());
        holder.does("unlock()", lock::unlock);
        eventually("a waiter gets the lock after its connections were cut", () -> remote.isDone() || local.isDone());
        assertNull((remote.isDone() ? remote : local).outcome(), "what a wait ended with after connections were cut");
    }

    @Test
    @Tag("chapter-8")
    @Needs(faults = Fault.FLUSH)
    public final void rule_8_22_aLostMessageCostsNoLease() {
        holderOf(factory().getLock(name(), unrenewed(Scale.LONG_LEASE)));
        DistributedLock other =
                newFactory(config -> config.waitCeiling(Scale.millis(100))).getLock(name());
        Pending<?> waiting = waiterFor(other, "waiter");
        assertFalse(waiting.isDone(), "lock() should wait while somebody else holds the lock");
        // The lock is gone, and nobody sends a message about it.
        faults().inject(Fault.FLUSH);
        waiting.result();
    }

    /** Clients that have waited before, so that classes are loaded and connections open. */
    private List<DistributedLockFactory> experiencedClients(int count, String name) {
        List<DistributedLockFactory> clients = new ArrayList<>();
        List<Pending<?>> waiting = new ArrayList<>();
        DistributedLock lock = factory().getLock(name);
        Actor holder = holderOf(lock);
        for (int i = 0; i < count; i++) {
            DistributedLockFactory client = connected(attentiveClient());
            DistributedLock other = client.getLock(name);
            Actor waiter = actor("waiter to be " + i);
            Pending<?> turn = waiter.beginTo("lock() and unlock()", () -> {
                other.lock();
                other.unlock();
            });
            settleWell(waiter, turn);
            clients.add(client);
            waiting.add(turn);
        }
        holder.does("unlock()", lock::unlock);
        waiting.forEach(Pending::result);
        return clients;
    }

    private Pending<?> arrive(List<String> arrived, List<String> served, DistributedLock lock, int client) {
        return arrive(arrived, "lock() of client " + client, name -> {
            lock.lock();
            served.add(name);
            lock.unlock();
        });
    }

    @Test
    @Tag("chapter-8")
    @Needs(Capability.FAIR)
    public final void rule_8_23_clientsAreServedInOrderOfArrival() {
        inCalm(again -> {
            List<DistributedLockFactory> clients = experiencedClients(5, name(again));
            DistributedLock lock = factory().getLock(name(again));
            Actor holder = holderOf(lock);
            List<String> served = Collections.synchronizedList(new ArrayList<>());
            List<String> arrived = new ArrayList<>();
            List<Pending<?>> waiting = new ArrayList<>();
            for (DistributedLockFactory client : clients) {
                waiting.add(arrive(arrived, served, client.getLock(name(again)), waiting.size()));
            }
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
            assertEquals(arrived, served, "the order in which waiting clients got the lock");
        });
    }

    @Test
    @Tag("chapter-8")
    @Needs(Capability.FAIR)
    public final void rule_8_24_aClientThatIsGoneIsPassedOver() {
        inCalm(again -> {
            List<DistributedLockFactory> clients = experiencedClients(5, name(again));
            DistributedLock lock = factory().getLock(name(again));
            Actor holder = holderOf(lock);
            Actor hasty = actor("waiter that gives up");
            DistributedLock first = clients.get(0).getLock(name(again));
            Pending<?> givingUp = hasty.beginTo("lockInterruptibly()", first::lockInterruptibly);
            settleWell(hasty, givingUp);
            List<String> served = Collections.synchronizedList(new ArrayList<>());
            List<String> arrived = new ArrayList<>();
            List<Pending<?>> waiting = new ArrayList<>();
            for (DistributedLockFactory client : clients.subList(1, 5)) {
                waiting.add(arrive(arrived, served, client.getLock(name(again)), waiting.size()));
            }
            clients.get(2).close();
            arrived.remove(1);
            waiting.remove(1).failure(IllegalStateException.class);
            hasty.interrupt();
            givingUp.failure(InterruptedException.class);
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
            assertEquals(arrived, served, "the order in which the clients that still waited got the lock");
        });
    }
}
