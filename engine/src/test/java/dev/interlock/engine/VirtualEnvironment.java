// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An environment whose time stands still until the test moves it, and in which one thread runs at a time, so that each
 * run of a test is the same.
 *
 * <p>The thread that made it is the driver. It alone moves time. All other threads run only inside {@link #settle}, one
 * after another, each until it parks or ends. If the driver itself parks, time moves on by itself until it is woken.
 */
public final class VirtualEnvironment implements Environment, AutoCloseable {
    private final List<String> refusedThreads = new CopyOnWriteArrayList<>();
    private final Map<String, Runnable> beforeThreads = new ConcurrentHashMap<>();

    /** The method whose next reading of the clock fails. */
    private volatile @Nullable String failingMethod;

    /** The clock wraps around in the course of most tests. */
    private static final long ORIGIN_NANOS =
            Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

    private static final long ORIGIN_MILLIS = 1_700_000_000_000L;
    private static final long NEVER = Long.MAX_VALUE;
    private static final Duration HANG = Duration.ofSeconds(30);
    private static final int LIVELOCK = 500_000;

    private enum State {
        READY,
        RUNNING,
        PARKED,
        IDLE,
        DONE
    }

    /** Makes a thread that is not started yet. */
    public interface ThreadMaker {
        Thread make(Runnable task, String name);
    }

    /** A thread of this environment. */
    private static final class Actor {
        final int number;
        Thread thread;
        volatile State state = State.READY;
        volatile boolean interrupted;
        boolean permit;
        boolean failsOnPark;
        boolean failsOnWake;
        long wakeAt = NEVER;
        long readySince;
        long oversleepNanos;

        Actor(int number) {
            this.number = number;
        }
    }

    private final Thread driver = Thread.currentThread();
    /** By identity: a subclass of Thread may override equals(). */
    private final Map<Thread, Actor> actors = new IdentityHashMap<>();

    private final List<Person> people = new ArrayList<>();
    private final Random random;
    private final AtomicLong tokens = new AtomicLong();
    private final boolean shuffled;
    private volatile long elapsedNanos;
    private volatile long wallAheadMillis;
    private long sequence;
    private boolean driverPermit;

    /** Threads that could run at the same time run in the order in which they became ready. */
    VirtualEnvironment() {
        this(1, false);
    }

    private VirtualEnvironment(long seed, boolean shuffled) {
        this.random = new Random(seed);
        this.shuffled = shuffled;
    }

    /** Threads that could run at the same time run in an order drawn from the seed. */
    static VirtualEnvironment shuffled(long seed) {
        return new VirtualEnvironment(seed, true);
    }

    /**
     * Makes the next reading of the monotonic clock by a method of that name fail, as any line may if memory has run
     * out.
     */
    public void failIn(String method) {
        failingMethod = method;
    }

    private void failIfPlanted() {
        String method = failingMethod;
        if (method != null && isCalledBy(method)) {
            failingMethod = null;
            throw new OutOfMemoryError("planted");
        }
    }

    private static boolean isCalledBy(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getMethodName)
                        .dropWhile(name -> !name.equals("nanoTime"))
                        .skip(1)
                        .findFirst()
                        .filter(method::equals)
                        .isPresent());
    }

    @Override
    public long nanoTime() {
        failIfPlanted();
        return ORIGIN_NANOS + elapsedNanos;
    }

    @Override
    public long currentTimeMillis() {
        return ORIGIN_MILLIS + elapsedNanos / 1_000_000 + wallAheadMillis;
    }

    public Duration elapsed() {
        return Duration.ofNanos(elapsedNanos);
    }

    @Override
    public synchronized long nextLong(long bound) {
        return (random.nextLong() >>> 1) % bound;
    }

    @Override
    public String newToken() {
        return "secret#" + tokens.incrementAndGet();
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        String refused =
                refusedThreads.stream().filter(name::endsWith).findFirst().orElse(null);
        if (refused != null && refusedThreads.remove(refused)) {
            return new Thread(task, name) {
                @Override
                public void start() {
                    throw new OutOfMemoryError("planted");
                }
            };
        }
        beforeThreads.entrySet().stream()
                .filter(entry -> name.endsWith(entry.getKey()))
                .findFirst()
                .filter(entry -> beforeThreads.remove(entry.getKey(), entry.getValue()))
                .ifPresent(entry -> entry.getValue().run());
        return newActor(name, task, Thread::new).thread;
    }

    /** Does something just before the next thread whose name ends so is made, as the code of a thread factory may. */
    void whenThreadIsMade(String name, Runnable action) {
        beforeThreads.put(name, action);
    }

    /** Makes the next thread whose name ends so fail to start. */
    public void refuseThread(String name) {
        refusedThreads.add(name);
    }

    private synchronized Actor newActor(String name, Runnable task, ThreadMaker maker) {
        Actor actor = new Actor(actors.size());
        actor.thread = maker.make(
                () -> {
                    awaitTurn(actor);
                    try {
                        task.run();
                    } finally {
                        leave(actor, State.DONE);
                    }
                },
                name);
        actor.thread.setDaemon(true);
        actor.readySince = sequence++;
        actors.put(actor.thread, actor);
        return actor;
    }

    /** A person who does what the test says on a thread of its own. */
    public Person person(String name) {
        return person(name, Thread::new);
    }

    /** As {@link #person(String)}, on a thread of a class of the test's. */
    public Person person(String name, ThreadMaker maker) {
        Person person = new Person(this, task -> newActor(name, task, maker).thread);
        people.add(person);
        return person;
    }

    @Override
    public void park(Object blocker, long nanos) {
        if (Thread.currentThread() == driver) {
            drive(nanos);
            return;
        }
        Actor actor = current();
        if (actor.failsOnPark) {
            actor.failsOnPark = false;
            throw new StackOverflowError("planted");
        }
        synchronized (this) {
            if (actor.permit || nanos <= 0 || actor.thread.isInterrupted()) {
                actor.permit = false;
                return;
            }
            actor.wakeAt = later(nanos);
        }
        leave(actor, State.PARKED);
        awaitTurn(actor);
        if (actor.failsOnWake) {
            actor.failsOnWake = false;
            throw new OutOfMemoryError("planted");
        }
        if (actor.oversleepNanos > 0) {
            long until = later(actor.oversleepNanos);
            actor.oversleepNanos = 0;
            while (elapsedNanos < until) {
                synchronized (this) {
                    actor.wakeAt = until;
                }
                boolean wasInterrupted = Thread.interrupted();
                leave(actor, State.PARKED);
                awaitTurn(actor);
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private long later(long nanos) {
        return nanos > NEVER - elapsedNanos ? NEVER : elapsedNanos + nanos;
    }

    @Override
    public synchronized void unpark(Thread thread) {
        if (thread == driver) {
            driverPermit = true;
            return;
        }
        Actor actor = actors.get(thread);
        if (actor.state == State.PARKED) {
            ready(actor);
        } else {
            actor.permit = true;
        }
    }

    private void ready(Actor actor) {
        actor.state = State.READY;
        actor.readySince = sequence++;
    }

    /** Lets the current thread, which is a person's, sleep until it is given something to do. */
    void idle() {
        Actor actor = current();
        leave(actor, State.IDLE);
        awaitTurn(actor);
    }

    synchronized void wakeIdle(Thread thread) {
        ready(actors.get(thread));
    }

    /** The next time that the thread would park, it runs into an error. */
    public synchronized void failNextPark(Person person) {
        actors.get(person.thread()).failsOnPark = true;
    }

    /** The next time that the thread wakes from a park, it runs into an error. */
    public synchronized void failNextWake(Person person) {
        actors.get(person.thread()).failsOnWake = true;
    }

    /**
     * The next time that the thread wakes, it stands still for a while before it goes on, as in a long pause of the
     * collector.
     */
    public synchronized void oversleep(Person person, Duration pause) {
        actors.get(person.thread()).oversleepNanos = pause.toNanos();
    }

    /** As {@link #oversleep(Person, Duration)}, for all threads whose names end so. */
    public synchronized void oversleep(String threadName, Duration pause) {
        actors.values().stream()
                .filter(actor -> actor.thread.getName().endsWith(threadName))
                .forEach(actor -> actor.oversleepNanos = pause.toNanos());
    }

    private synchronized Actor current() {
        Actor actor = actors.get(Thread.currentThread());
        if (actor == null) {
            throw new IllegalStateException("not a thread of this environment: " + Thread.currentThread());
        }
        return actor;
    }

    private synchronized void leave(Actor actor, State state) {
        actor.state = state;
        notifyAll();
    }

    private void awaitTurn(Actor actor) {
        while (actor.state != State.RUNNING) {
            if (actor.thread.isInterrupted()) {
                actor.interrupted = true;
                Thread.interrupted();
            }
            LockSupport.park(this);
        }
        if (actor.interrupted) {
            actor.interrupted = false;
            actor.thread.interrupt();
        }
    }

    /** Runs the threads until all of them wait or have ended. */
    public void settle() {
        int turns = 0;
        for (Actor actor = nextReady(); actor != null; actor = nextReady()) {
            if (++turns > LIVELOCK) {
                throw hang("the threads never come to rest");
            }
            giveTurn(actor);
        }
    }

    private synchronized @Nullable Actor nextReady() {
        List<Actor> ready = actors.values().stream()
                .filter(VirtualEnvironment::canRun)
                .sorted(Comparator.comparingLong(actor -> actor.readySince))
                .toList();
        if (ready.isEmpty()) {
            return null;
        }
        return ready.get(shuffled ? random.nextInt(ready.size()) : 0);
    }

    private static boolean canRun(Actor actor) {
        return switch (actor.state) {
            case READY -> actor.thread.getState() != Thread.State.NEW;
            // In this order, because a thread moves its interrupt from the second place to the first.
            case PARKED -> actor.thread.isInterrupted() || actor.interrupted;
            default -> false;
        };
    }

    private void giveTurn(Actor actor) {
        actor.state = State.RUNNING;
        LockSupport.unpark(actor.thread);
        long until = System.nanoTime() + HANG.toNanos();
        try {
            synchronized (this) {
                while (actor.state == State.RUNNING) {
                    long left = (until - System.nanoTime()) / 1_000_000;
                    if (left <= 0) {
                        throw hang(actor.thread.getName() + " neither waits nor ends");
                    }
                    wait(left);
                }
            }
            if (actor.state == State.DONE) {
                actor.thread.join();
                synchronized (this) {
                    actors.remove(actor.thread);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("the driver was interrupted", e);
        }
    }

    private synchronized AssertionError hang(String what) {
        StringBuilder dump = new StringBuilder(what).append(" at ").append(elapsed());
        for (Actor actor : actors.values()) {
            dump.append("\n").append(actor.thread.getName()).append(" ").append(actor.state);
            for (StackTraceElement frame : actor.thread.getStackTrace()) {
                dump.append("\n    ").append(frame);
            }
        }
        return new AssertionError(dump.toString());
    }

    /** Moves both clocks on; each thread that is due meanwhile runs at its moment. */
    public void advance(Duration time) {
        long target = later(time.toNanos());
        while (stepTo(target)) {
            settle();
        }
    }

    /** Moves the clocks to the next moment at which a thread is due, or to the target if that is earlier. */
    private boolean stepTo(long target) {
        settle();
        Actor next = nextDue(target);
        if (next == null) {
            elapsedNanos = target;
            return false;
        }
        elapsedNanos = Math.max(elapsedNanos, next.wakeAt);
        synchronized (this) {
            ready(next);
        }
        return true;
    }

    private synchronized @Nullable Actor nextDue(long target) {
        return actors.values().stream()
                .filter(actor -> actor.state == State.PARKED && actor.wakeAt != NEVER && actor.wakeAt <= target)
                .min(Comparator.<Actor>comparingLong(actor -> actor.wakeAt).thenComparing(actor -> actor.number))
                .orElse(null);
    }

    private void drive(long nanos) {
        long until = later(nanos);
        while (true) {
            settle();
            if (driverPermit || driver.isInterrupted() || elapsedNanos >= until) {
                driverPermit = false;
                return;
            }
            if (until == NEVER && nextDue(NEVER - 1) == null) {
                throw hang("everybody waits for ever");
            }
            stepTo(until);
        }
    }

    /** Moves the wall clock alone, as an administrator or NTP does. */
    public void stepWall(Duration time) {
        wallAheadMillis += time.toMillis();
    }

    /**
     * Stands still for a while: the wall clock moves on and the monotonic one does not, as when a machine is suspended.
     */
    public void suspend(Duration time) {
        stepWall(time);
    }

    /** Interrupts the threads whose names end so. */
    public void interrupt(String threadName) {
        List<Thread> threads;
        synchronized (this) {
            threads = inOrder()
                    .map(actor -> actor.thread)
                    .filter(thread -> thread.getName().endsWith(threadName))
                    .toList();
        }
        threads.forEach(Thread::interrupt);
        settle();
    }

    /** The names of the threads that were started and have not ended, without those of people. */
    public synchronized List<String> threads() {
        return inOrder()
                .map(actor -> actor.thread)
                .filter(thread -> thread.getState() != Thread.State.NEW)
                .filter(thread -> people.stream().noneMatch(person -> person.thread() == thread))
                .map(Thread::getName)
                .toList();
    }

    private Stream<Actor> inOrder() {
        return actors.values().stream().sorted(Comparator.comparing(actor -> actor.number));
    }

    /** Ends the threads of persons. */
    @Override
    public void close() {
        settle();
        people.forEach(Person::end);
        settle();
    }
}
