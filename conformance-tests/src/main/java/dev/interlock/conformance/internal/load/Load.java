// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.load;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.actor.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads of some clients that acquire and release locks at random, and the history of their calls. It asserts nothing,
 * so that it can run in any process:
 *
 * <pre>{@code
 * List<Event> history = new Load(new Recorder()).client("client-1", factory).names(name()).threads(4).rounds(20).run();
 * }</pre>
 *
 * <p>A round that ends in a {@link LockBackendException} does not count, so a load outlasts an outage.
 */
public final class Load {
    /** The method that acquires: the last two acquire handles, the others make the thread the holder. */
    public enum Style {
        LOCK,
        LOCK_INTERRUPTIBLY,
        TRY_LOCK,
        TIMED_TRY_LOCK,
        ACQUIRE,
        TRY_ACQUIRE
    }

    /** The styles that make the thread the holder. */
    public static final Set<Style> BY_THREAD =
            EnumSet.of(Style.LOCK, Style.LOCK_INTERRUPTIBLY, Style.TRY_LOCK, Style.TIMED_TRY_LOCK);

    /** The styles that wait without a time limit. */
    public static final Set<Style> WAITING = EnumSet.of(Style.LOCK, Style.LOCK_INTERRUPTIBLY, Style.ACQUIRE);

    private static final long INTERRUPT_EACH_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

    final Recorder recorder;
    private final Map<String, DistributedLockFactory> clients = new LinkedHashMap<>();
    List<String> names = List.of();
    Set<Style> styles = EnumSet.allOf(Style.class);
    Optional<LockOptions> options = Optional.empty();
    Duration hold = Duration.ofMillis(1);
    Duration patience = Scale.millis(10);
    private int threads = 1;
    int rounds = Integer.MAX_VALUE;
    boolean reentering;
    boolean interrupting;
    boolean virtual;

    public Load(Recorder recorder) {
        this.recorder = recorder;
    }

    /** Adds a client. In the history the names of its threads begin with its name. */
    public Load client(String name, DistributedLockFactory factory) {
        clients.put(name, factory);
        return this;
    }

    /** Sets the names of the locks, one of which is chosen in each round. */
    public Load names(String... lockNames) {
        names = List.of(lockNames);
        return this;
    }

    /** Sets the options of the locks. Without this, the client's defaults apply, which must renew leases. */
    public Load options(LockOptions lockOptions) {
        options = Optional.of(lockOptions);
        return this;
    }

    /** Sets the number of threads of each client. */
    public Load threads(int perClient) {
        threads = perClient;
        return this;
    }

    /** Sets the rounds of each thread. Without this, threads go on until they are stopped. */
    public Load rounds(int perThread) {
        rounds = perThread;
        return this;
    }

    public Load styles(Set<Style> several) {
        styles = several;
        return this;
    }

    /** Sets the longest time for which a lock is held. */
    public Load hold(Duration atMost) {
        hold = atMost;
        return this;
    }

    /** Sets the longest wait of the styles that give up. */
    public Load patience(Duration atMost) {
        patience = atMost;
        return this;
    }

    /** Makes threads that hold a lock acquire it again now and then; only for leases that are not lost. */
    public Load reentering() {
        reentering = true;
        return this;
    }

    /** Makes threads be interrupted all the time. */
    public Load interrupting() {
        interrupting = true;
        return this;
    }

    /** Makes the threads virtual. */
    public Load virtual() {
        virtual = true;
        return this;
    }

    /** Runs to the end of the rounds, and returns the recorded history. */
    public List<Event> run() {
        return start().await();
    }

    public Running start() {
        List<LoadThread> workers = new ArrayList<>();
        clients.forEach((client, factory) -> {
            for (int i = 1; i <= threads; i++) {
                workers.add(new LoadThread(this, client + "/thread-" + i, factory, workers.size()));
            }
        });
        return new Running(workers);
    }

    /** A load that is running. */
    public final class Running {
        private final List<LoadThread> workers;
        private final List<Pending<@Nullable Void>> ends = new ArrayList<>();

        private Running(List<LoadThread> workers) {
            this.workers = workers;
            Phaser meeting = new Phaser(workers.size());
            workers.forEach(worker -> ends.add(worker.actor().beginTo("load", () -> worker.work(meeting))));
            if (interrupting) {
                Actor nuisance = Actor.platform("nuisance");
                nuisance.beginTo("interrupt", () -> {
                    interruptUntilTheEnd();
                    nuisance.dismiss();
                });
            }
        }

        private void interruptUntilTheEnd() {
            for (int i = 0; !ends.stream().allMatch(Pending::isDone); i++) {
                workers.get(i % workers.size()).actor().interrupt();
                LockSupport.parkNanos(INTERRUPT_EACH_NANOS);
            }
        }

        /** Returns whether locks are still being granted. As long as they are, a load may take any time. */
        private boolean goesOn() {
            int before = grants();
            return Waits.inTime(() -> isOver() || grants() > before) && !isOver();
        }

        private boolean isOver() {
            return ends.stream().allMatch(Pending::isDone) || ends.stream().anyMatch(Pending::hasFailed);
        }

        /** How often a lock has been granted so far. */
        public int grants() {
            return workers.stream().mapToInt(worker -> worker.grants()).sum();
        }

        /** Lets each thread end its present round, and returns the recorded history. */
        public List<Event> stop() {
            workers.forEach(LoadThread::stop);
            return await();
        }

        /**
         * Waits for the end of the rounds, and returns the recorded history.
         *
         * @throws AssertionError if nothing was granted for {@link Scale#PATIENCE}, or a thread threw an unexpected
         *     exception
         */
        public List<Event> await() {
            try {
                while (goesOn()) {
                    Waits.pass(Scale.millis(20));
                }
                ends.forEach(Pending::result);
            } finally {
                workers.forEach(worker -> {
                    worker.stop();
                    worker.actor().dismiss();
                });
            }
            return recorder.events();
        }
    }
}
