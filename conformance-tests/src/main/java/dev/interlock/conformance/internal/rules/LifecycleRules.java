// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 11 of the contract: lifecycle. */
public abstract class LifecycleRules extends NameRules {
    private static final int MANY_LOCKS = 100;

    /** The number of command time-outs after which close() may leave unreleased locks to the end of their leases. */
    private static final int PATIENCE_OF_CLOSE = 2;

    /** A load that goes on for longer, because close() does not end it, leaves the machine to other rules. */
    private static final int TURNS_AT_FULL_SPEED = 5_000;

    /** Whether a close() of this test has taken longer than {@link #PATIENCE_OF_CLOSE} allows. */
    private volatile boolean closeGaveUp;

    LifecycleRules() {}

    @Test
    @Tag("chapter-11")
    public final void rule_11_1_closingTwiceHasNoEffect() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("closer");
        actor.does("lock()", lock::lock);
        actor.does("close()", client::close);
        Actor next = actor("next");
        next.does("lock()", lock()::lock);
        actor.does("close() once more", client::close);
        assertHeld(next, lock());
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_2_aClosedFactoryGivesNoLocks() {
        DistributedLockFactory client = newFactory();
        close(client);
        LockOptions options = LockOptions.defaults();
        assertThrows(IllegalStateException.class, () -> client.getLock(name()), "getLock(name) after close()");
        assertThrows(
                IllegalStateException.class,
                () -> client.getLock(name(), options),
                "getLock(name, options) after close()");
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_3_aLockOfAClosedFactoryCannotBeAcquired() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        close(client);
        Actor actor = actor("locker");
        acquisitions(lock).forEach((what, acquisition) -> {
            actor.begin(what + " after close()", acquisition).failure(IllegalStateException.class);
            assertNotHeld(actor, lock);
        });
        actor.begin("tryLock() after close()", lock::tryLock).failure(IllegalStateException.class);
        assertFree(lock());
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_4_closeFreesWhatIsHeld() {
        closingInTime(again -> {
            DistributedLockFactory client = newFactory();
            DistributedLock lock = client.getLock(name(again + " a"));
            DistributedLock handled = client.getLock(name(again + " b"));
            Actor actor = actor("holder");
            actor.does("lock()", lock::lock);
            actor.call("acquire()", handled::acquire);
            close(client);
            assertFree(factory().getLock(name(again + " a")));
            assertFree(factory().getLock(name(again + " b")));
        });
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_5_closeTellsThoseWhoHold() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        Lease hold = actor.call("lease()", lock::lease).orElseThrow();
        LockHandle handle = actor.call("acquire()", client.getLock(name("b"))::acquire);
        Queue<LossCause> told = new ConcurrentLinkedQueue<>();
        hold.onLoss(told::add);
        handle.onLoss(told::add);
        close(client);
        eventually("both holders are told", () -> told.size() >= 2);
        pass(Scale.millis(50));
        assertEquals(List.of(LossCause.FACTORY_CLOSED, LossCause.FACTORY_CLOSED), List.copyOf(told), "the causes");
        for (Lease lease : List.of(hold, handle)) {
            assertFalse(lease.isValid(), "a lease of a closed factory is not valid");
            assertEquals(Duration.ZERO, lease.remaining(), "what remains of a lease of a closed factory");
        }
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_6_unlockAfterCloseSaysThatTheLeaseWasLost() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        LockHandle handle = actor.call("acquire()", client.getLock(name("b"))::acquire);
        close(client);
        LeaseLostException lost =
                actor.beginTo("unlock() after close()", lock::unlock).failure(LeaseLostException.class);
        assertEquals(LossCause.FACTORY_CLOSED, lost.lossCause(), "the cause that unlock() gives");
        lost = actor.beginTo("close() of a handle of a closed factory", handle::close)
                .failure(LeaseLostException.class);
        assertEquals(LossCause.FACTORY_CLOSED, lost.lossCause(), "the cause that close() of the handle gives");
        actor.does("close() of the handle once more", handle::close);
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_7_queriesOutliveTheFactory() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        close(client);
        assertNotHeld(actor, lock);
        assertTrue(actor.call("lease() after close()", lock::lease).isEmpty(), "there should be no lease");
        assertEquals(name(), lock.name(), "name() after close()");
        assertEquals(currentHarness().provider().name(), client.strategy(), "strategy() after close()");
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_8_closeFailsThoseWhoWait() {
        DistributedLock held = lock();
        Actor holder = actor("holder");
        holder.does("lock()", held::lock);
        DistributedLockFactory client = newFactory();
        DistributedLock waited = client.getLock(name());
        List<Pending<?>> waits = new ArrayList<>();
        acquisitions(waited).forEach((what, acquisition) -> {
            Actor waiter = actor("waiter in " + what);
            Pending<?> wait = waiter.begin(what + " during close()", acquisition);
            waiter.settle(wait);
            waits.add(wait);
        });
        close(client);
        waits.forEach(wait -> wait.failure(IllegalStateException.class));
        assertHeld(holder, held);
        holder.does("unlock()", held::unlock);
        assertFree(newFactory().getLock(name()));
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_9_closeFailsThoseWhoWaitForItsOwnHolder() {
        closingInTime(again -> {
            DistributedLockFactory client = newFactory();
            DistributedLock lock = client.getLock(name(again));
            Actor holder = actor("holder");
            holder.does("lock()", lock::lock);
            List<Pending<?>> waits = new ArrayList<>();
            acquisitions(lock).forEach((what, acquisition) -> {
                Actor waiter = actor("waiter in " + what);
                Pending<?> wait = waiter.begin(what + " during close()", acquisition);
                waiter.settle(wait);
                waits.add(wait);
            });
            close(client);
            waits.forEach(wait -> wait.failure(IllegalStateException.class));
            assertNotHeld(holder, lock);
            assertFree(factory().getLock(name(again)));
        });
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_10_closingOneClientLeavesOthersAlone() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease lease = holder.call("lease()", lock::lease).orElseThrow();
        DistributedLockFactory client = newFactory();
        reconnect(client);
        close(client);
        assertTrue(lease.isValid(), "the lease of another client is still valid");
        assertHeld(holder, lock);
        assertHeldBySomebody(newFactory().getLock(name()));
        holder.does("unlock()", lock::unlock);
        assertFree(lock);
        assertFree(newFactory().getLock(name()));
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_11_factoriesDoNotMixTheirConfigurations() {
        DistributedLockFactory brief = newFactory(
                config -> config.lockDefaults(lease(Scale.RENEWED_LEASE)).waitCeiling(Scale.millis(50)));
        connected(brief);
        assertTrue(remaining(factory(), name()).compareTo(Scale.RENEWED_LEASE) > 0, "the longer of two leases");
        assertTrue(remaining(brief, name("b")).compareTo(Scale.RENEWED_LEASE) <= 0, "the shorter of two leases");
        assertTrue(remaining(factory(), name("c")).compareTo(Scale.RENEWED_LEASE) > 0, "the longer of two leases");
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_12_closeIgnoresAnInterruptAndKeepsIt() {
        closingInTime(again -> {
            DistributedLockFactory client = newFactory();
            DistributedLock lock = client.getLock(name(again));
            Actor actor = actor("closer");
            actor.does("lock()", lock::lock);
            actor.does("interrupt itself", () -> Thread.currentThread().interrupt());
            close(client, actor);
            assertTrue(actor.isInterrupted(), "the interrupt status should still be set after close()");
            assertFree(factory().getLock(name(again)));
        });
    }

    @Test
    @Tag("chapter-11")
    @Needs(faults = Fault.PARTITION)
    public final void rule_11_13_closeEndsWhenTheBackendCannotBeReached() {
        assertClosesDuring(Fault.PARTITION);
    }

    @Test
    @Tag("chapter-11")
    @Needs(faults = Fault.PAUSE)
    public final void rule_11_14_closeEndsThoughNobodyAnswers() {
        assertClosesDuring(Fault.PAUSE);
    }

    @Test
    @Tag("chapter-11")
    @Needs(faults = Fault.DELAY)
    public final void rule_11_15_aRequestThatIsOnItsWayDuringCloseLeavesNothing() {
        DistributedLockFactory client = newFactory();
        reconnect(client);
        DistributedLock lock = client.getLock(name());
        faults().inject(Fault.DELAY);
        Actor actor = actor("locker");
        Pending<Boolean> request = actor.begin("tryLock() during close()", lock::tryLock);
        pass(FaultInjector.DELAY.dividedBy(5));
        close(client);
        Throwable thrown = request.outcome();
        assertTrue(
                thrown == null || thrown instanceof IllegalStateException || thrown instanceof LockBackendException,
                () -> "tryLock() during close() threw " + thrown);
        assertNotHeld(actor, lock);
        faults().heal();
        DistributedLock another = lock();
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_16_closeEndsALoad() {
        closingInTime(again -> {
            DistributedLockFactory client = newFactory();
            AtomicInteger turns = new AtomicInteger();
            List<Pending<?>> loops = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                DistributedLock lock = client.getLock(name(again + (i % 2 == 0 ? " a" : " b")));
                Actor locker = actor("locker " + i);
                loops.add(locker.beginTo("lock() and unlock() until close()", () -> lockUntilItFails(lock, turns)));
            }
            eventually("the load is on", () -> turns.get() > 20);
            close(client);
            loops.forEach(loop -> loop.failure(IllegalStateException.class));
            assertFree(factory().getLock(name(again + " a")));
            assertFree(factory().getLock(name(again + " b")));
        });
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_17_theThreadsOfAFactoryEndWithIt() {
        // The first use may start threads that serve the whole JVM from then on.
        useInGroup(new ThreadGroup("warm-up"), group -> {});
        ThreadGroup group = new ThreadGroup("clients");
        for (int i = 0; i < 3; i++) {
            useInGroup(group, it -> {});
        }
        eventually("no thread of a closed factory is left", () -> threads(group).isEmpty());
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_18_aFactoryDoesNotKeepTheJvmAlive() {
        useInGroup(
                new ThreadGroup("clients"),
                group -> threads(group)
                        .forEach(thread -> assertTrue(
                                thread.isDaemon() || !thread.isAlive(),
                                () -> "thread " + thread.getName()
                                        + " keeps a JVM alive whose program does not close the factory")));
    }

    @Test
    @Tag("chapter-11")
    @Needs(faults = Fault.DELAY)
    public final void rule_11_19_closeEndsHoweverManyLocksAreHeld() {
        DistributedLockFactory client =
                newFactory(config -> config.commandTimeout(FaultInjector.DELAY.multipliedBy(2)));
        reconnect(client);
        actor("holder").does("acquire() many locks", () -> {
            for (int i = 0; i < MANY_LOCKS; i++) {
                granted(client.getLock(name("many " + i))::acquire);
            }
        });
        faults().inject(Fault.DELAY);
        // Releasing the locks one after the other would take much longer than this rule waits.
        actor("closer").does("close()", client::close);
    }

    /** The ways to wait for a lock. */
    private static Map<String, Callable<@Nullable Object>> acquisitions(DistributedLock lock) {
        Map<String, Callable<@Nullable Object>> acquisitions = new LinkedHashMap<>();
        acquisitions.put("lock()", () -> {
            lock.lock();
            return "the lock";
        });
        acquisitions.put("lockInterruptibly()", () -> {
            lock.lockInterruptibly();
            return "the lock";
        });
        acquisitions.put("tryLock(time)", () -> lock.tryLock(1, TimeUnit.HOURS));
        acquisitions.put("acquire()", lock::acquire);
        acquisitions.put("tryAcquire(time)", () -> lock.tryAcquire(Duration.ofHours(1)));
        return acquisitions;
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_20_closeFailsStages() {
        closingInTime(again -> {
            DistributedLock held = factory().getLock(name(again + " a"));
            Actor holder = actor("holder");
            holder.does("lock()", held::lock);
            DistributedLockFactory client = newFactory();
            DistributedLock heldHere = client.getLock(name(again + " b"));
            actor("holder of the client").does("lock()", heldHere::lock);
            List<PendingStage> stages = new ArrayList<>();
            for (DistributedLock asked : List.of(client.getLock(name(again + " a")), heldHere)) {
                WAYS.forEach(way -> stages.add(way.by(actor("caller"), asked)));
            }
            pass(Scale.millis(50));
            close(client);
            stages.forEach(stage -> stage.failure(IllegalStateException.class));
            Actor late = actor("late caller");
            WAYS.forEach(way -> way.by(late, heldHere).failure(IllegalStateException.class));
            assertHeld(holder, held);
            holder.does("unlock()", held::unlock);
            assertFree(newFactory().getLock(name(again + " a")));
            assertFree(factory().getLock(name(again + " b")));
        });
    }

    final void close(DistributedLockFactory client) {
        close(client, actor("closer"));
    }

    private void close(DistributedLockFactory client, Actor closer) {
        Duration patience = config(UnaryOperator.identity()).commandTimeout().multipliedBy(PATIENCE_OF_CLOSE);
        Pending<?> closing = closer.beginTo("close()", () -> {
            long sinceNanos = System.nanoTime();
            client.close();
            if (System.nanoTime() - sinceNanos >= patience.toNanos()) {
                closeGaveUp = true;
            }
        });
        // A command time-out may be several seconds, and close() may wait for some of them, one after the other.
        closing.result(Scale.PATIENCE.multipliedBy(2));
    }

    /**
     * Runs a rule about what {@code close()} releases. Runs it again, with other names, if it failed and {@code
     * close()} took so long that it may have given up: the backend answers, so the machine must have stood still. A
     * lock that is left held by a {@code close()} that ended sooner fails the rule at once.
     *
     * @param rule takes a text to be part of all names
     */
    final void closingInTime(Consumer<String> rule) {
        for (int i = 1; ; i++) {
            closeGaveUp = false;
            try {
                rule.accept("try " + i);
                return;
            } catch (AssertionError e) {
                if (i == Stage.TRIES || !closeGaveUp) {
                    throw e;
                }
                retried("close() ran out of its time");
            }
        }
    }

    private Duration remaining(DistributedLockFactory client, String name) {
        DistributedLock lock = client.getLock(name);
        return actor("holder of " + name).call("lock()", () -> {
            locked(lock);
            return lock.lease().map(Lease::remaining).orElse(Duration.ZERO);
        });
    }

    private void assertClosesDuring(Fault fault) {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease lease = holder.call("lease()", lock::lease).orElseThrow();
        faults().inject(fault);
        close(client);
        assertFalse(lease.isValid(), "a lease of a closed factory is not valid");
        assertNotHeld(holder, lock);
    }

    private static void lockUntilItFails(DistributedLock lock, AtomicInteger turns) {
        while (true) {
            try {
                lock.lock();
                try {
                    if (turns.incrementAndGet() > TURNS_AT_FULL_SPEED) {
                        pass(Scale.millis(1));
                    }
                } finally {
                    lock.unlock();
                }
            } catch (LeaseLostException | LockBackendException e) {
                // The lock was held, or its request in flight, when the factory was closed; the next lock() fails.
            }
        }
    }

    /** Creates, uses and closes a factory on a thread of its own group, which the threads of the factory inherit. */
    private void useInGroup(ThreadGroup group, Use meanwhile) {
        DistributedLock taken = factory().getLock(name("taken"));
        Actor holder = actor("holder");
        holder.does("lock()", taken::lock);
        FutureTask<@Nullable Void> use = new FutureTask<>(() -> {
            DistributedLockFactory client = newFactory();
            DistributedLock lock = client.getLock(name(), lease(Scale.PATIENCE));
            lock.lock();
            try {
                client.getLock(name("taken")).tryLock(Scale.millis(50).toNanos(), TimeUnit.NANOSECONDS);
                meanwhile.of(group);
            } finally {
                lock.unlock();
            }
            client.close();
            return null;
        });
        Thread user = new Thread(group, use, "user");
        // Threads inherit the daemon status too.
        user.setDaemon(false);
        user.start();
        try {
            actor("observer").does("use a factory", use::get);
        } finally {
            user.interrupt();
        }
        holder.does("unlock()", taken::unlock);
    }

    /** The live threads of a group, without the one that uses the factory. */
    private static List<Thread> threads(ThreadGroup group) {
        Thread[] all = new Thread[1000];
        group.enumerate(all);
        return Arrays.stream(all)
                .filter(Objects::nonNull)
                .filter(thread -> !thread.getName().equals("user"))
                .toList();
    }

    private interface Use {
        void of(ThreadGroup group);
    }
}
