// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import com.google.gson.Gson;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.LockStrategyProvider;
import dev.interlock.LossCause;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.tools.backends.ChildProgram;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.measure.UncontendedPair;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the process of a {@link LabClient} does: reads, changes and writes back what is in two stores, under a lock, one step after
 * another as it is told. It writes only if its lease was valid when it looked, as the contract asks of a careful holder.
 */
public final class LabClientMain {
    /** How an answer of the stores begins, among the steps to do. */
    static final String ANSWER = "=";

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Within how many leases the first lock must be had: servers that have just started may have to be waited for. */
    private static final int WARM_UP_LEASES = 12;

    private final Gson gson = new Gson();
    private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private final ParentJvm parent = ParentJvm.ofThisProcess();
    private @Nullable Task task;
    private @Nullable Recorder recorder;
    private @Nullable DistributedLockFactory factory;
    private @Nullable Tenure tenure;
    private int attempts;

    /**
     * Who the client is.
     *
     * @param who its name
     * @param provider the class of the strategy's provider
     * @param options the options of the strategy
     * @param lock the name of the lock
     * @param warmUpLock the name of another one
     * @param leaseMillis the lease
     * @param commandTimeoutMillis the command time-out
     * @param clockAheadMillis by how much its wall clock is ahead
     * @param history the file for what it was told by the lock
     */
    record Task(
            String who,
            String provider,
            Map<String, String> options,
            String lock,
            String warmUpLock,
            long leaseMillis,
            long commandTimeoutMillis,
            long clockAheadMillis,
            String history) {}

    /** The steps, and how they are written. */
    enum Step {
        /** Connects to the servers that follow. */
        OPEN,
        /** Takes another lock and gives it back, until that works. */
        WARM_UP,
        /** Asks for the lock until it is granted, and reads the stores. */
        CONTEND,
        /** Looks at the lease. */
        LOOK,
        /** Writes to the stores if the lease was valid at the last look. */
        WRITE,
        /** Gives the lock back. */
        RELEASE
    }

    private LabClientMain() {}

    /**
     * Runs the process.
     *
     * @param args none
     */
    public static void main(String[] args) {
        ChildProgram.runAndExit(new LabClientMain()::run);
    }

    private void run() throws Exception {
        task = gson.fromJson(parent.nextLine(), Task.class);
        if (task().clockAheadMillis() != 0) {
            SkewedClock.shift(task().clockAheadMillis());
        }
        recorder = Recorder.toFile(Path.of(task().history()));
        parent.follow(line -> {
            if (line.startsWith(ANSWER)) {
                answers.add(line.substring(ANSWER.length()));
            } else {
                steps.add(line);
            }
        });
        daemon("sample-lease", this::sample);
        say(Moment.What.READY, null, null);
        while (true) {
            String[] step = steps.take().split(" ", 2);
            switch (Step.valueOf(step[0])) {
                case OPEN -> open(step[1]);
                case WARM_UP -> warmUp();
                case CONTEND -> contend();
                case LOOK -> look();
                case WRITE -> write();
                case RELEASE -> release();
            }
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void open(String endpoints) throws ReflectiveOperationException {
        LockStrategyProvider provider = Class.forName(task().provider())
                .asSubclass(LockStrategyProvider.class)
                .getDeclaredConstructor()
                .newInstance();
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(endpoints)
                .commandTimeout(Duration.ofMillis(task().commandTimeoutMillis()))
                .lockDefaults(options());
        task().options().forEach(config::option);
        DistributedLockFactory before = factory;
        factory = DistributedLocks.getInstance(provider, config.build());
        if (before != null) {
            // Some clients take their time to part from servers that are gone.
            daemon("close-factory", before::close);
        }
        say(Moment.What.READY, null, null);
    }

    private LockOptions options() {
        return LockOptions.builder()
                .lease(Duration.ofMillis(task().leaseMillis()))
                .build();
    }

    private DistributedLock lock(String name) {
        return Objects.requireNonNull(factory, "no step before OPEN").getLock(name, options());
    }

    private void warmUp() {
        DistributedLock lock = lock(task().warmUpLock());
        long giveUp = System.nanoTime()
                + Duration.ofMillis(task().leaseMillis())
                        .multipliedBy(WARM_UP_LEASES)
                        .toNanos();
        for (boolean held = false; !held; ) {
            try {
                UncontendedPair.pair(lock);
                held = true;
            } catch (LockBackendException | LeaseLostException e) {
                if (System.nanoTime() - giveUp > 0) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        say(Moment.What.READY, null, null);
    }

    private void contend() throws InterruptedException {
        DistributedLock lock = lock(task().lock());
        say(Moment.What.ASKED, null, null);
        @Nullable String lastRefusal = null;
        while (true) {
            // What comes after an attempt without an outcome does not build on it.
            attempts++;
            String process = task().who() + "#" + attempts;
            recorder().invoke(process, Op.ACQUIRE, task().lock());
            try {
                lock.lock();
            } catch (LockBackendException e) {
                if (e.reason() == LockBackendException.Reason.OUTCOME_UNKNOWN) {
                    recorder().unknown(process, Op.ACQUIRE, task().lock(), e);
                } else {
                    recorder().failed(process, Op.ACQUIRE, task().lock(), e);
                }
                String refusal = e.reason() + ": " + e.getMessage();
                if (lastRefusal == null) {
                    say(Moment.What.REFUSED, null, refusal);
                }
                lastRefusal = refusal;
                LockSupport.parkNanos(RETRY_NANOS);
                continue;
            }
            Lease lease = lock.lease().orElse(null);
            if (lease != null) {
                begin(lock, lease, process);
                return;
            }
            // A lease that was over before anybody could look at it is no tenure.
            recorder().unknown(process, Op.ACQUIRE, task().lock(), new IllegalStateException());
        }
    }

    private void begin(DistributedLock lock, Lease lease, String process) throws InterruptedException {
        Tenure begun = new Tenure(lock, lease, process);
        begun.sample();
        recorder().acquired(begun.seenNanos, process, task().lock(), lease.fencingToken(), OptionalLong.empty());
        say(Moment.What.GRANTED, begun.token(), null);
        lease.onLoss(begun::lost);
        tenure = begun;
        String[] versions = ask(Moment.What.READ, begun.token(), "").split(" ", -1);
        begun.versions = versions[0] + " " + versions[1];
    }

    private Task task() {
        return Objects.requireNonNull(task, "nothing before the task");
    }

    private Recorder recorder() {
        return Objects.requireNonNull(recorder, "nothing before the task");
    }

    private Tenure tenure() {
        return Objects.requireNonNull(tenure, "no step before CONTEND");
    }

    private void look() {
        Tenure current = tenure();
        current.sample();
        current.lookedValid = current.lease.isValid();
        say(current.lookedValid ? Moment.What.LOOKED_VALID : Moment.What.LOOKED_LOST, current.token(), null);
    }

    private void write() throws InterruptedException {
        Tenure current = tenure();
        if (current.lookedValid) {
            ask(Moment.What.WROTE, current.token(), current.versions);
        }
    }

    private void release() {
        Tenure ended = tenure();
        tenure = null;
        say(Moment.What.RELEASING, ended.token(), null);
        recorder().invoke(ended.process, Op.RELEASE, task().lock());
        try {
            ended.lock.unlock();
            recorder().released(ended.process, task().lock());
            say(Moment.What.RELEASED, ended.token(), null);
        } catch (IllegalMonitorStateException e) {
            recorder().failed(ended.process, Op.RELEASE, task().lock(), e);
            say(Moment.What.NOT_RELEASED, ended.token(), e.getClass().getSimpleName());
        }
    }

    /** Has the parent carry out something on the stores, and returns its answer. */
    private String ask(Moment.What what, @Nullable Long token, String versions) throws InterruptedException {
        say(what, token, versions);
        return answers.take();
    }

    private void say(Moment.What what, @Nullable Long token, @Nullable String detail) {
        parent.say(gson.toJson(Moment.now(task().who(), what, token, detail)));
    }

    private void sample() {
        while (true) {
            Tenure current = tenure;
            if (current != null) {
                current.sample();
            }
            LockSupport.parkNanos(SAMPLE_NANOS);
        }
    }

    /** The lock, from a grant on. */
    private final class Tenure {
        final DistributedLock lock;
        final Lease lease;
        final String process;
        volatile long seenNanos = System.nanoTime();
        private volatile long validUntilNanos = seenNanos;
        String versions = "";
        boolean lookedValid;

        Tenure(DistributedLock lock, Lease lease, String process) {
            this.lock = lock;
            this.lease = lease;
            this.process = process;
        }

        @Nullable
        Long token() {
            OptionalLong token = lease.fencingToken();
            return token.isPresent() ? Long.valueOf(token.getAsLong()) : null;
        }

        /** Takes down until when the lease is valid, for the case that it gets lost. */
        void sample() {
            long now = System.nanoTime();
            long remaining = lease.remaining().toNanos();
            if (remaining > 0) {
                validUntilNanos = now + remaining;
                seenNanos = now;
            }
        }

        void lost(LossCause cause) {
            boolean ranOut = validUntilNanos - System.nanoTime() <= 0;
            recorder().lost(ranOut ? validUntilNanos : seenNanos, process, task().lock(), lease.fencingToken());
            say(Moment.What.TOLD, token(), cause.summary());
        }
    }
}
