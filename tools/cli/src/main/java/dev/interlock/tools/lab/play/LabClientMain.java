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
import dev.interlock.LossCause;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.tools.backends.ChildProgram;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.peers.Peers;
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
 * The program of the process of a {@link LabClient}: reads, changes and writes back the values of two stores, under a
 * lock. It takes one step after another as it is told. It writes only if its lease was valid when it looked, as the
 * contract asks of a careful holder.
 */
public final class LabClientMain {
    /** The prefix that tells an answer of the stores from a step. */
    static final String ANSWER = "=";

    private static final String PEER = "peer:";
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The longest time until the first lock is acquired, in leases: servers that have just started may not vote at
     * first.
     */
    private static final int WARM_UP_LEASES = 12;

    private final Gson gson = new Gson();
    private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private final ParentJvm parent = ParentJvm.ofThisProcess();
    private @Nullable Session session;
    private @Nullable DistributedLockFactory factory;
    private volatile @Nullable Hold hold;
    private int attempts;

    /**
     * The identity of the client.
     *
     * @param who its name
     * @param provider the reference to the strategy
     * @param options the options of the strategy
     * @param lock the name of the lock
     * @param warmUpLock the name of the lock that warms the client up
     * @param leaseMillis the lease
     * @param commandTimeoutMillis the command time-out
     * @param history the file for the history of its calls
     */
    record Task(
            String who,
            String provider,
            Map<String, String> options,
            String lock,
            String warmUpLock,
            long leaseMillis,
            long commandTimeoutMillis,
            String history) {}

    /** The steps, and how they are written. */
    enum Step {
        /** Becomes the client that follows. */
        TASK,
        /** Sets the clocks to so many milliseconds ahead, and to a rate. */
        CLOCK,
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
        RELEASE,
        /** Closes the connections, and waits for the next task. */
        END
    }

    /** A client that this process serves: its number, its task, and the recorder of its calls. */
    private record Session(String number, Task task, Recorder recorder) {}

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
        if (BentClock.isWanted()) {
            BentClock.install();
        }
        parent.follow(line -> {
            int answer = line.indexOf(" " + ANSWER);
            if (answer >= 0 && answer == line.indexOf(' ')) {
                answers.add(line.substring(answer + 1 + ANSWER.length()));
            } else {
                steps.add(line);
            }
        });
        daemon("sample-lease", this::sample);
        while (true) {
            String[] step = steps.take().split(" ", 3);
            switch (Step.valueOf(step[1])) {
                case TASK -> begin(step[0], gson.fromJson(step[2], Task.class));
                case CLOCK -> setClock(step[2].split(" ", 2));
                case OPEN -> open(step[2]);
                case WARM_UP -> warmUp();
                case CONTEND -> contend();
                case LOOK -> look();
                case WRITE -> write();
                case RELEASE -> release();
                case END -> end();
            }
        }
    }

    private void begin(String number, Task task) {
        answers.clear();
        attempts = 0;
        session = new Session(number, task, Recorder.toFile(Path.of(task.history())));
    }

    private void setClock(String[] aheadAndRate) {
        BentClock.set(Long.parseLong(aheadAndRate[0]), Double.parseDouble(aheadAndRate[1]));
        say(Moment.What.READY, null, null);
    }

    private void end() {
        hold = null;
        DistributedLockFactory before = factory;
        factory = null;
        if (before != null) {
            before.close();
        }
        if (BentClock.isWanted()) {
            BentClock.set(0, 1);
        }
        recorder().close();
        say(Moment.What.READY, null, null);
        session = null;
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void open(String endpoints) throws ReflectiveOperationException {
        LockStrategyProvider provider = provider(task().provider());
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(endpoints)
                .commandTimeout(Duration.ofMillis(task().commandTimeoutMillis()))
                .lockDefaults(options());
        task().options().forEach(config::option);
        DistributedLockFactory before = factory;
        factory = DistributedLocks.getInstance(provider, config.build());
        if (before != null) {
            // Some client libraries take long to close connections to servers that are gone.
            daemon("close-factory", before::close);
        }
        say(Moment.What.READY, null, null);
    }

    /**
     * Returns the text by which another process finds the strategy: the class is not enough, since the locks of other
     * libraries share one.
     */
    static String reference(LockStrategyProvider provider) {
        return provider instanceof PeerProvider
                ? PEER + provider.name()
                : provider.getClass().getName();
    }

    static LockStrategyProvider provider(String reference) throws ReflectiveOperationException {
        if (reference.startsWith(PEER)) {
            return Peers.find(reference.substring(PEER.length())).orElseThrow();
        }
        return Class.forName(reference)
                .asSubclass(LockStrategyProvider.class)
                .getDeclaredConstructor()
                .newInstance();
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
            // Later steps do not depend on an attempt without an outcome.
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
            // A lease that was over before anybody could look at it is no hold.
            recorder().unknown(process, Op.ACQUIRE, task().lock(), new IllegalStateException());
        }
    }

    private void begin(DistributedLock lock, Lease lease, String process) throws InterruptedException {
        Hold begun = new Hold(lock, lease, process);
        begun.sample();
        recorder().acquired(begun.seenNanos, process, task().lock(), lease.fencingToken(), OptionalLong.empty());
        say(Moment.What.GRANTED, begun.token(), null);
        lease.onLoss(begun::lost);
        hold = begun;
        String[] versions = ask(Moment.What.READ, begun.token(), "").split(" ", -1);
        begun.versions = versions[0] + " " + versions[1];
    }

    private Session session() {
        return Objects.requireNonNull(session, "nothing before the task");
    }

    private Task task() {
        return session().task();
    }

    private Recorder recorder() {
        return session().recorder();
    }

    private Hold hold() {
        return Objects.requireNonNull(hold, "no step before CONTEND");
    }

    private void look() {
        Hold current = hold();
        current.sample();
        current.lookedValid = current.lease.isValid();
        if (current.lookedValid) {
            say(Moment.What.LOOKED_VALID, current.token(), null);
        } else {
            say(
                    session(),
                    Moment.loss(task().who(), Moment.What.LOOKED_LOST, current.token(), null, current.endNanos()));
        }
    }

    private void write() throws InterruptedException {
        Hold current = hold();
        if (current.lookedValid) {
            ask(Moment.What.WROTE, current.token(), current.versions);
        }
    }

    private void release() {
        Hold ended = hold();
        hold = null;
        say(Moment.What.RELEASING, ended.token(), null);
        recorder().invoke(ended.process, Op.RELEASE, task().lock());
        try {
            ended.lock.unlock();
            recorder().released(ended.process, task().lock());
            say(Moment.What.RELEASED, ended.token(), null);
        } catch (IllegalMonitorStateException e) {
            recorder().failed(ended.process, Op.RELEASE, task().lock(), e);
            say(Moment.What.NOT_RELEASED, ended.token(), e.getClass().getSimpleName());
        } catch (LockBackendException e) {
            // The lease ends by itself, so the holder just goes on.
            recorder().unknown(ended.process, Op.RELEASE, task().lock(), e);
            say(Moment.What.RELEASED, ended.token(), e.reason() + ": " + e.getMessage());
        }
    }

    /** Asks the parent process to read or write the stores, and returns its answer. */
    private String ask(Moment.What what, @Nullable Long token, String versions) throws InterruptedException {
        say(what, token, versions);
        return answers.take();
    }

    private void say(Moment.What what, @Nullable Long token, @Nullable String detail) {
        say(session(), Moment.now(task().who(), what, token, detail));
    }

    private void say(Session of, Moment moment) {
        parent.say(of.number() + " " + gson.toJson(moment));
    }

    private void sample() {
        while (true) {
            Hold current = hold;
            if (current != null) {
                current.sample();
            }
            LockSupport.parkNanos(SAMPLE_NANOS);
        }
    }

    /** A hold of the lock: the lease, and when it was last seen to be valid. */
    private final class Hold {
        final Session of = session();
        final DistributedLock lock;
        final Lease lease;
        final String process;
        volatile long seenNanos = System.nanoTime();
        volatile long validUntilNanos = seenNanos;
        String versions = "";
        boolean lookedValid;

        Hold(DistributedLock lock, Lease lease, String process) {
            this.lock = lock;
            this.lease = lease;
            this.process = process;
        }

        @Nullable
        Long token() {
            OptionalLong token = lease.fencingToken();
            return token.isPresent() ? Long.valueOf(token.getAsLong()) : null;
        }

        /** Notes until when the lease is valid, in case it is lost. */
        void sample() {
            long now = System.nanoTime();
            long remaining = lease.remaining().toNanos();
            if (remaining > 0) {
                validUntilNanos = now + remaining;
                seenNanos = now;
            }
        }

        /** The last moment at which the lease is known to have been valid, once it is not. */
        long endNanos() {
            boolean ranOut = validUntilNanos - System.nanoTime() <= 0;
            return ranOut ? validUntilNanos : seenNanos;
        }

        void lost(LossCause cause) {
            long end = endNanos();
            of.recorder().lost(end, process, of.task().lock(), lease.fencingToken());
            say(of, Moment.loss(of.task().who(), Moment.What.TOLD, token(), cause.summary(), end));
        }
    }
}
