// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.conformance.internal.peer.PeerMain;
import dev.interlock.spi.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 12 of the contract: several processes. */
public abstract class ProcessRules extends ViewRules {
    private static final int STORM_THREADS = 24;
    private static final int LOADED_PROCESSES = 2;
    private static final int LOADED_THREADS = 4;
    private static final int LOADED_ROUNDS = 40;

    ProcessRules() {}

    /** Gives another process time to begin its wait, which cannot be observed from here. */
    static void letItWait() {
        pass(Scale.SHORT_LEASE);
    }

    /** Locks in another process with a lease that may be over before the grant arrives there. */
    private OptionalLong lockShortly(Peer peer, String name, Duration lease) {
        return actor("caller of the other process")
                .begin("lock() in another process", () -> granted(() -> peer.lock(name, lease(lease))))
                .result(Peer.LIMIT);
    }

    private static boolean tryLockInTime(DistributedLock lock) throws InterruptedException {
        return lock.tryLock(Scale.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_1_aLockHeldInAnotherProcessIsRefused() {
        DistributedLock lock = lock();
        Peer peer = peer();
        peer.lock(name(), lease(Scale.LONG_LEASE));
        assertTrue(peer.isHeld(name()), "the process that locked should hold the lock");
        assertHeldBySomebody(lock);
        assertEquals("", peer.unlock(name()), "what unlock() threw");
        assertFree(lock);
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_2_aWaiterInAnotherProcessGetsTheLockAfterARelease() {
        DistributedLock lock = lock();
        Peer peer = peer();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Actor other = actor("caller of the other process");
        Pending<OptionalLong> waiting =
                other.begin("lock() in another process", () -> peer.lock(name(), lease(Scale.LONG_LEASE)));
        letItWait();
        assertFalse(waiting.isDone(), "the other process should wait while the lock is held");
        holder.does("unlock()", lock::unlock);
        waiting.result();
        assertHeldBySomebody(lock);
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_3_threadsWithOneIdInTwoProcessesAreTwoOwners() {
        Peer one = freshPeer();
        Peer two = freshPeer();
        assertEquals(one.threadId(), two.threadId(), "the main threads of two processes have one id");
        one.lock(name(), lease(Scale.LONG_LEASE));
        assertFalse(two.tryLock(name()), "a thread of another process should not be taken for the holder");
        assertFalse(two.isHeld(name()), "a thread of another process should not hold the lock");
        assertEquals(
                IllegalMonitorStateException.class.getSimpleName(),
                two.unlock(name()),
                "what unlock() throws in a process that does not hold the lock");
        assertHeldBySomebody(lock());
        assertTrue(one.isHeld(name()), "the holder should still hold the lock");
    }

    @Test
    @Tag("chapter-12")
    @Needs(value = Capability.AUTO_RENEWAL, processes = true)
    public final void rule_12_4_aLiveHolderInAnotherProcessKeepsTheLock() {
        Peer peer = peer();
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(4);
            DistributedLock lock = connected(factory()).getLock(name(again));
            lockShortly(peer, name(again), time);
            always(
                    "the lock of a live process should not be had by another",
                    time.multipliedBy(5).dividedBy(4),
                    () -> {
                        pass(Scale.millis(20));
                        return !isFree(lock);
                    });
            assertTrue(peer.isHeld(name(again)), "a live process should hold its lock for longer than a lease");
        });
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_5_aKilledHolderLosesTheLockWithItsLease() {
        withLeaseThatEnds((again, time) -> {
            DistributedLock lock = connected(factory()).getLock(name(again));
            Peer peer = peer();
            lockShortly(peer, name(again), time);
            // Is killed in the middle of its lease, after renewal has begun.
            pass(time.dividedBy(2));
            peer.kill();
            assertTrue(
                    gets(actor("waiter"), lock, untilFree(time)),
                    "the lock of a process that was killed should be free after its lease, " + untilFree(time)
                            + " after another one first asked at the latest");
        });
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_6_aKilledWaiterDoesNotHoldUpOthers() {
        DistributedLock lock = lock();
        Peer peer = peer();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Actor other = actor("caller of the other process");
        Pending<OptionalLong> waiting =
                other.begin("lock() in another process", () -> peer.lock(name(), lease(Scale.RENEWED_LEASE)));
        letItWait();
        peer.kill();
        waiting.outcome();
        DistributedLock third = lockOfAnotherClient();
        Actor waiter = actor("waiter");
        Pending<Boolean> behind = waiter.begin("tryLock(time)", () -> tryLockInTime(third));
        waiter.settle(behind);
        holder.does("unlock()", lock::unlock);
        assertTrue(behind.result(), "a waiter should get the lock though a process that waited before it was killed");
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_7_aProcessThatIsKilledWhileItLocksLeavesNothingBeyondItsLease() {
        Peer peer = peer();
        peer.storm(name("storm"), STORM_THREADS, lease(Scale.RENEWED_LEASE));
        peer.kill();
        Actor waiter = actor("waiter");
        for (int i = 0; i < STORM_THREADS; i++) {
            DistributedLock lock = factory().getLock(PeerMain.stormName(name("storm"), i));
            assertTrue(
                    waiter.call("tryLock(time)", () -> tryLockInTime(lock)),
                    "a process that is killed at any step of locking should leave nothing that outlives its lease");
        }
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true, signals = true)
    public final void rule_12_8_aStoppedHolderLosesTheLockAndIsToldWhenItGoesOn() {
        DistributedLock lock = lock();
        Peer peer = peer();
        lockShortly(peer, name(), Scale.RENEWED_LEASE);
        peer.stop();
        Actor waiter = actor("waiter");
        assertTrue(
                waiter.call("tryLock(time)", () -> tryLockInTime(lock)),
                "the lock of a process that stands still should be free after its lease");
        peer.goOn();
        assertFalse(peer.isHeld(name()), "a process that stood still should know at once that it lost the lock");
        eventually("the process that stood still is told of its loss, once", () -> peer.losses(name()) == 1);
        assertEquals("LeaseLostException", peer.unlock(name()), "what unlock() throws after the loss");
        pass(Scale.millis(100));
        assertEquals(1, peer.losses(name()), "how often the process was told of one loss");
    }

    @Test
    @Tag("chapter-12")
    @Needs(value = Capability.SAFE_RELEASE, processes = true, signals = true)
    public final void rule_12_9_aStoppedHolderThatGoesOnTakesNothingFromTheNextOne() {
        DistributedLock lock = lock();
        Peer peer = peer();
        lockShortly(peer, name(), Scale.RENEWED_LEASE);
        peer.stop();
        Actor next = actor("next holder");
        assertTrue(next.call("tryLock(time)", () -> tryLockInTime(lock)), "the lock should be free after the lease");
        peer.goOn();
        peer.unlock(name());
        assertTrue(
                next.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread),
                "the next holder should hold the lock still");
        assertHeldBySomebody(lockOfAnotherClient());
        next.does("unlock()", lock::unlock);
    }

    @Test
    @Tag("chapter-12")
    @Needs(value = Capability.FENCING, processes = true)
    public final void rule_12_10_fencingTokensIncreaseFromProcessToProcess() {
        Peer one = peer();
        Peer two = peer();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            for (Peer peer : new Peer[] {one, two}) {
                long token = peer.lock(name(), lease(Scale.LONG_LEASE)).orElseThrow();
                assertTrue(token > last, "the token " + token + " should be larger than the last one, " + last);
                last = token;
                assertEquals("", peer.unlock(name()), "what unlock() threw");
            }
        }
    }

    @Test
    @Tag("chapter-12")
    @Needs(value = Capability.FENCING, processes = true, signals = true)
    public final void rule_12_11_aStoppedHolderHasASmallerTokenThanTheNextOne() {
        DistributedLock lock = lock();
        Peer peer = peer();
        long old = lockShortly(peer, name(), Scale.RENEWED_LEASE).orElseThrow();
        peer.stop();
        Actor next = actor("next holder");
        assertTrue(next.call("tryLock(time)", () -> tryLockInTime(lock)), "the lock should be free after the lease");
        long fresh = next.call(
                "fencingToken()",
                () -> lock.lease().orElseThrow().fencingToken().orElseThrow());
        peer.goOn();
        // From now on the process sends a store the token that its lease returns now.
        long late = peer.fencingToken(name());
        assertEquals(old, late, "the token of the lease of a process that stood still, when it goes on");
        assertTrue(
                late < fresh,
                () -> "a store that has seen " + fresh + " should refuse the process that stood still with " + late);
    }

    @Test
    @Tag("chapter-12")
    @Needs(processes = true)
    public final void rule_12_12_processesUnderLoadNeverHoldTheLockAtOnce() throws IOException {
        Path directory = Files.createTempDirectory("interlock-conformance");
        try {
            // All processes start before the first load begins, since a JVM may take longer to start than a load takes.
            List<Peer> peers =
                    Stream.generate(this::freshPeer).limit(LOADED_PROCESSES).toList();
            List<Pending<?>> loads = new ArrayList<>();
            List<Path> files = new ArrayList<>();
            for (Peer peer : peers) {
                String client = "process-" + (files.size() + 1);
                Path file = directory.resolve(client + ".jsonl");
                files.add(file);
                loads.add(actor("caller of " + client)
                        .beginTo(client, () -> peer.load(name(), client, LOADED_THREADS, LOADED_ROUNDS, file)));
            }
            loads.forEach(load -> load.result(Peer.LIMIT));
            List<Event> history = new ArrayList<>();
            files.forEach(file -> history.addAll(JsonLines.read(file)));
            assertExclusive(history);
        } finally {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
    }
}
