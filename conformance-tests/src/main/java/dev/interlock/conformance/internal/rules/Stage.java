// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.child.PosixSignals;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Calm;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.load.KeptHistories;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.conformance.internal.run.CertificateWriter;
import dev.interlock.conformance.internal.run.KitClass;
import dev.interlock.conformance.internal.run.PlainHarness;
import dev.interlock.conformance.internal.run.Retries;
import dev.interlock.conformance.internal.run.RuleOrder;
import dev.interlock.conformance.internal.run.RuleTimeout;
import dev.interlock.conformance.internal.run.ShownOptions;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyProfile;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** The base of all chapters: the harness of the present test, its clients, its threads, and waits. */
@Tag("conformance")
@TestMethodOrder(RuleOrder.class)
@ExtendWith({Retries.class, RuleTimeout.class, CertificateWriter.class})
public abstract class Stage implements KitClass {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The number of attempts at a check that a machine which stands still may spoil. */
    public static final int TRIES = 5;

    /** The number of leases after which a lock that is not renewed must be free. */
    private static final int LEASES_UNTIL_FREE = 2;

    private final List<DistributedLockFactory> factories = new CopyOnWriteArrayList<>();
    private final List<Actor> actors = new CopyOnWriteArrayList<>();
    private final List<Peer> peers = new CopyOnWriteArrayList<>();
    private final List<String> retries = new CopyOnWriteArrayList<>();
    private @Nullable LockHarness harness;
    private @Nullable DistributedLockFactory first;
    private Map<String, String> options = Map.of();
    private volatile String run = "";
    private volatile Calm calm = new Calm();
    private KeptHistories keptHistories = new KeptHistories(null, "");

    Stage() {}

    /**
     * Returns the harness for the next test. Called before each test, on its thread.
     *
     * @return a new harness, or a closed one that can be used again
     * @throws Exception if the harness cannot be made; the test then fails
     */
    protected abstract LockHarness harness() throws Exception;

    /**
     * Returns the name of what is tested, for the certificate that the kit writes.
     *
     * @return the simple name of the test class, unless overridden
     */
    protected String subject() {
        return getClass().getSimpleName();
    }

    /** The strategy under test and the origin of its classes, once a rule has opened the harness. */
    private Optional<String> strategy() {
        LockHarness current = harness;
        if (current == null || current instanceof PlainHarness) {
            return Optional.empty();
        }
        LockStrategyProvider provider = current.provider();
        String version = provider.getClass().getPackage().getImplementationVersion();
        return Optional.of(provider.name() + (version == null ? "" : " " + version));
    }

    /**
     * Returns how long a rule may take, and how long the harness may take to open and to close. Most rules have bounds
     * of their own, which are shorter; this one is for a lock that hangs.
     *
     * @return three minutes, times the factor that stretches all times of the kit, unless overridden
     */
    protected Duration ruleTimeout() {
        return Scale.RULE_TIMEOUT;
    }

    /** The name of the kit: the class in front of the chapters. */
    private String kit() {
        Class<?> kit = getClass();
        while (!kit.getSuperclass().getPackageName().equals(Stage.class.getPackageName())) {
            kit = kit.getSuperclass();
        }
        return kit.getSimpleName();
    }

    @Override
    public final State state() {
        return new State(kit(), subject(), strategy(), options, ruleTimeout(), List.copyOf(retries));
    }

    /**
     * Opens the stage, or skips a rule that depends on what is missing.
     *
     * @param test the rule
     * @throws Exception if there is no harness
     */
    @BeforeEach
    public final void openStage(TestInfo test) throws Exception {
        run = Long.toString(RANDOM.nextLong() >>> 1, Character.MAX_RADIX);
        calm = new Calm();
        keptHistories = KeptHistories.of(test);
        Needs needs = test.getTestMethod().orElseThrow().getAnnotation(Needs.class);
        if (needs != null) {
            skipUnlessPossibleHere(needs);
        }
        LockHarness current = harness();
        harness = current;
        if (needs != null) {
            skipUnlessOffered(needs, current);
        }
        first = newFactory(UnaryOperator.identity());
        options = current instanceof PlainHarness
                ? Map.of()
                : ShownOptions.of(current.provider().options(), current.config());
        if (needs != null) {
            skipUnlessDeclared(needs, first.profile());
        }
    }

    /** Checks what depends only on this JVM and the operating system. */
    private static void skipUnlessPossibleHere(Needs needs) {
        if (needs.virtualThreads() && Runtime.version().feature() < 21) {
            abort("there are no virtual threads before Java 21");
        }
        if (needs.signals() && !PosixSignals.available()) {
            abort("this system cannot stop a process by a signal");
        }
    }

    /**
     * Checks what is known before the backend starts. A factory may promise less than its provider, never more, so a
     * capability that is missing here is certainly missing.
     */
    private void skipUnlessOffered(Needs needs, LockHarness current) {
        for (Beyond beyond : needs.beyond()) {
            if (!offered(current).contains(beyond)) {
                abort("needs " + beyond.what());
            }
        }
        StrategyProfile most = current.provider().profile();
        for (Capability capability : needs.value()) {
            if (!most.supports(capability)) {
                abort("the strategy does not declare " + capability);
            }
        }
        for (Fault fault : needs.faults()) {
            if (current.faults().filter(it -> it.supported().contains(fault)).isEmpty()) {
                abort("the harness cannot cause " + fault);
            }
        }
        if (needs.processes() && !current.reachableFromOtherProcesses()) {
            abort("the backend cannot be reached from other processes");
        }
    }

    /** Returns the features that the locks under test have beyond {@code Lock}. */
    private static Set<Beyond> offered(LockHarness harness) {
        return harness instanceof PlainHarness plain ? plain.offered() : EnumSet.allOf(Beyond.class);
    }

    /** Checks the profile of the factory, because options may take capabilities away. */
    private static void skipUnlessDeclared(Needs needs, StrategyProfile profile) {
        for (Capability capability : needs.value()) {
            if (!profile.supports(capability)) {
                abort("the strategy does not declare " + capability);
            }
        }
        for (Capability capability : needs.without()) {
            if (profile.supports(capability)) {
                abort("the strategy declares " + capability);
            }
        }
    }

    /** Ends all that the test has begun, and the harness. */
    @AfterEach
    public final void closeStage() {
        LockHarness current = harness;
        if (current == null) {
            return;
        }
        // A lock that hangs must not block the tests after it. Chapter 11 tests whether closing works.
        Actor cleaner = Actor.platform("cleaner");
        Pending<?> cleaned = cleaner.beginTo("clean up", () -> {
            peers.forEach(Peer::close);
            current.faults().ifPresent(FaultInjector::heal);
            actors.forEach(Actor::dismiss);
            factories.forEach(DistributedLockFactory::close);
        });
        try {
            cleaned.outcome();
        } catch (AssertionError e) {
            actors.forEach(Actor::dismiss);
        } finally {
            cleaner.dismiss();
            current.close();
        }
    }

    private LockHarness open() {
        LockHarness current = harness;
        if (current == null) {
            throw new IllegalStateException("the harness is made before each test");
        }
        return current;
    }

    final FaultInjector faults() {
        return open().faults().orElseThrow();
    }

    final LockHarness currentHarness() {
        return open();
    }

    /** The client that every test has. */
    final DistributedLockFactory factory() {
        DistributedLockFactory factory = first;
        if (factory == null) {
            throw new IllegalStateException("the first client is made before each test");
        }
        return factory;
    }

    /** One more client. */
    final DistributedLockFactory newFactory() {
        return newFactory(UnaryOperator.identity());
    }

    /** One more client, configured in its own way. */
    final DistributedLockFactory newFactory(UnaryOperator<LockConfig.Builder> change) {
        DistributedLockFactory factory = DistributedLocks.getInstance(open().provider(), config(change));
        factories.add(factory);
        return factory;
    }

    final LockConfig config(UnaryOperator<LockConfig.Builder> change) {
        LockConfig.Builder builder = open().config().toBuilder().lockDefaults(lease(Scale.LONG_LEASE));
        return change.apply(builder).build();
    }

    /** A name that no other test uses, the same for each call with one suffix. */
    final String name(String suffix) {
        return "conformance " + run + " " + suffix;
    }

    final String name() {
        return name("a");
    }

    /** The lock of {@link #name()} from {@link #factory()}. */
    final DistributedLock lock() {
        return factory().getLock(name());
    }

    /** The lock of {@link #name()} from one more client. */
    final DistributedLock lockOfAnotherClient() {
        return newFactory().getLock(name());
    }

    /** A client that has talked to its backend, so that a short lease is not spent on making connections. */
    final DistributedLockFactory connected(DistributedLockFactory factory) {
        isFree(factory.getLock(name("for the connection"), lease(Scale.LONG_LEASE)));
        return factory;
    }

    /**
     * Acquires with a short lease, and tries again after a {@code LockBackendException}: on a busy machine the lease
     * may be over before the grant arrives, or before the connection is open, and the rules want such an acquisition to
     * fail.
     */
    final <T extends @Nullable Object> T granted(Callable<T> acquisition) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return acquisition.call();
            } catch (LockBackendException e) {
                if (i == TRIES || e.reason() == LockBackendException.Reason.REFUSED) {
                    throw e;
                }
                retried("a short lease was over before its grant arrived");
            }
        }
    }

    /** Notes that something is tried again in this test, and why. Called by any thread. */
    final void retried(String why) {
        retries.add(why);
    }

    /** Locks with a short lease, as {@link #granted} does. */
    final void locked(DistributedLock lock) throws Exception {
        granted(Executors.callable(lock::lock));
    }

    /**
     * Runs a rule that fails if the machine stands still, and runs it again, with other names, if it failed and the
     * machine did.
     *
     * @param rule takes a text that must be part of all names
     */
    final void inCalm(Consumer<String> rule) {
        for (int i = 1; ; i++) {
            Calm calm = new Calm();
            try {
                rule.accept("try " + i);
                return;
            } catch (AssertionError e) {
                if (i == TRIES || !calm.isBroken()) {
                    throw e;
                }
                retried("the machine stood still");
                open().faults().ifPresent(FaultInjector::heal);
            }
        }
    }

    /** As {@link #inCalm(Consumer)}, for a rule that need not know its try: {@link #name} returns others each time. */
    final void inCalm(Runnable rule) {
        String wholeRun = run;
        inCalm(again -> {
            run = wholeRun + " " + again;
            rule.run();
        });
    }

    /**
     * Runs a rule with a short lease, since a correct lock then takes little time. If it failed, runs it with a long
     * lease, and the verdict is that of this run: a thread or a backend that stands still for a second or three may end
     * the short lease and is not noticed, but cannot end the long one.
     *
     * @param rule takes a text that must be part of all names, and the lease
     */
    final void withLease(Duration shortLease, Duration longLease, BiConsumer<String, Duration> rule) {
        try {
            rule.accept("short", shortLease);
        } catch (AssertionError e) {
            retried("a lease of " + shortLease + " was too short, perhaps because something stood still");
            open().faults().ifPresent(FaultInjector::heal);
            inCalm(again -> rule.accept(again, longLease));
        }
    }

    /**
     * Runs a rule about a lock that must be free within {@link #untilFree}, as {@link #withLease} does. The long lease
     * leaves time for something that stands still for three seconds, and no wait exceeds {@link Scale#PATIENCE}.
     *
     * @param rule takes a text that must be part of all names, and the lease
     */
    final void withLeaseThatEnds(BiConsumer<String, Duration> rule) {
        withLease(Scale.RENEWED_LEASE, Scale.RENEWED_LEASE.multipliedBy(7).dividedBy(2), rule);
    }

    /** How long a client that asks for a lock may have to wait for the end of a lease that is not renewed. */
    static Duration untilFree(Duration lease) {
        return lease.multipliedBy(LEASES_UNTIL_FREE);
    }

    /** Returns whether the machine has stood still since the rule began. */
    final boolean hasStoodStill() {
        return calm.isBroken();
    }

    static LockOptions lease(Duration lease) {
        return LockOptions.builder().lease(lease).build();
    }

    static LockOptions unrenewed(Duration lease) {
        return LockOptions.builder().lease(lease).renewal(false).build();
    }

    /** A thread of this process. */
    final Actor actor(String name) {
        Actor actor = Actor.platform(name);
        actors.add(actor);
        return actor;
    }

    final Actor virtualActor(String name) {
        Actor actor = Actor.virtual(name);
        actors.add(actor);
        return actor;
    }

    /** A thread that is {@code equal} to every other twin. */
    final Actor twin() {
        Actor actor = Actor.twin("twin");
        actors.add(actor);
        return actor;
    }

    final Actor actorIn(ThreadGroup group, String name) {
        Actor actor = Actor.in(group, name);
        actors.add(actor);
        return actor;
    }

    /** A client in a process of its own, configured as {@link #factory()} is. */
    final Peer peer() {
        return added(Peer.start(open().provider(), config(UnaryOperator.identity())));
    }

    /**
     * A client in a process that had none before, so that two of them are alike: a lock that tells them apart only by
     * what happened in them before is found.
     */
    final Peer freshPeer() {
        return added(Peer.startFresh(open().provider(), config(UnaryOperator.identity())));
    }

    private Peer added(Peer peer) {
        peers.add(peer);
        return peer;
    }

    /** Lets a thread begin to wait for the lock, and have had its first answer. */
    static void settleWell(Actor waiter, Pending<?> wait) {
        waiter.settle(wait);
        // If a client blocks while it waits for an answer, a request in flight looks like a wait for the lock.
        pass(Scale.millis(100));
    }

    /** Returns whether the lock is free, by acquiring and releasing it. */
    static boolean isFree(DistributedLock lock) {
        Actor visitor = Actor.platform("visitor");
        try {
            return visitor.call("tryLock()", () -> {
                if (!lock.tryLock()) {
                    return false;
                }
                lock.unlock();
                return true;
            });
        } finally {
            visitor.dismiss();
        }
    }

    /** Fails if no correct lock of this strategy's profile can have behaved as the history says. */
    final void assertExclusive(List<Event> history) {
        assertCorrect(false, history);
    }

    /** Fails if no correct lock with fencing tokens can have behaved as the history says. */
    final void assertFenced(List<Event> history) {
        assertCorrect(true, history);
    }

    private void assertCorrect(boolean fenced, List<Event> history) {
        keptHistories.keep(history);
        Model model = new Model(factory().profile().supports(Capability.REENTRANT), fenced);
        Verdict verdict = new Checker(model).check(history);
        assertTrue(verdict.isValid(), verdict::toString);
    }

    /** Fails if a call threw anything but a {@link LockBackendException}, after which its outcome is unknown. */
    static void assertBackendFailureIfAny(String what, @Nullable Throwable thrown) {
        assertTrue(thrown == null || thrown instanceof LockBackendException, () -> what + " threw " + thrown);
    }

    static void assertFree(DistributedLock lock) {
        assertTrue(isFree(lock), "the lock should be free");
    }

    static void assertHeldBySomebody(DistributedLock lock) {
        assertEquals(false, isFree(lock), "whether the lock that is held can be had by somebody else");
    }

    /** Unparks a thread without a reason. */
    static void wakeForNothing(Actor actor) {
        LockSupport.unpark(actor.thread());
    }
}
