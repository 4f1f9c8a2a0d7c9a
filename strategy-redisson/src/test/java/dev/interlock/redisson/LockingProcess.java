// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A JVM of its own whose threads lock and unlock, by a plain lock or by ours, and record what they are told. */
final class LockingProcess {
    static final int THREADS = 2;
    static final int ROUNDS = 50;
    private static final String DONE = "done";

    private final Recorder recorder;
    private final String name;

    private LockingProcess(Recorder recorder, String name) {
        this.recorder = recorder;
        this.name = name;
    }

    /**
     * Runs processes of both kinds that share a lock, and fails if two held it at once or a token did not grow.
     *
     * @param plainClassPath the class path of those that lock plainly
     */
    static void shareALock(String uri, Path directory, String plainClassPath) throws Exception {
        List<Path> histories = new ArrayList<>();
        Map<ChildJvm, CompletableFuture<String>> processes = new LinkedHashMap<>();
        try {
            for (String kind : List.of("plain", "ours", "plain", "ours")) {
                String name = kind + processes.size();
                Path history = directory.resolve(name);
                histories.add(history);
                CompletableFuture<String> said = new CompletableFuture<>();
                ChildJvm process = ChildJvm.start(
                        kind.equals("plain") ? plainClassPath : System.getProperty("java.class.path"),
                        List.of("-XX:TieredStopAtLevel=1"),
                        LockingProcess.class,
                        List.of(kind, name, uri, history.toString()),
                        said::complete,
                        () -> said.complete("nothing"));
                processes.put(process, said);
            }
            processes.forEach(LockingProcess::awaitDone);
        } finally {
            processes.keySet().forEach(ChildJvm::close);
        }
        List<Event> all = new ArrayList<>();
        histories.forEach(history -> all.addAll(JsonLines.read(history)));
        assertThat(all.stream().filter(event -> event.type() == Event.Type.OK && event.op() == Event.Op.ACQUIRE))
                .hasSize(4 * THREADS * ROUNDS);
        Verdict verdict = new Checker(new Model(false, true)).check(all);
        assertThat(verdict.isValid()).as(verdict.toString()).isTrue();
    }

    private static void awaitDone(ChildJvm process, CompletableFuture<String> said) {
        String line = said.completeOnTimeout("nothing in time", 2 * Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        if (!line.equals(DONE)) {
            throw process.failed("said " + line);
        }
    }

    /** Something to lock by. */
    private interface Mutex {
        long lock();

        void unlock();
    }

    public static void main(String[] args) throws Exception {
        ParentJvm parent = ParentJvm.ofThisProcess();
        parent.follow(line -> {});
        try (Recorder recorder = Recorder.toFile(Path.of(args[3]))) {
            LockingProcess process = new LockingProcess(recorder, args[1]);
            if (args[0].equals("plain")) {
                process.lockPlainly(args[2]);
            } else {
                process.lockOurWay(args[2]);
            }
        }
        // Only now is the history complete.
        parent.say(DONE);
    }

    private void lockPlainly(String uri) throws Exception {
        Config config = new Config();
        Fixture.patient(config.useSingleServer()).setAddress(uri).setConnectionMinimumIdleSize(1);
        RedissonClient client = Redisson.create(config);
        try {
            RFencedLock lock = client.getFencedLock(Fixture.NAME);
            run(new Mutex() {
                @Override
                public long lock() {
                    return lock.lockAndGetToken();
                }

                @Override
                public void unlock() {
                    lock.unlock();
                }
            });
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    private void lockOurWay(String uri) throws Exception {
        LockConfig config = LockConfig.builder()
                .endpoints(uri)
                .commandTimeout(Fixture.PATIENCE)
                .build();
        try (DistributedLockFactory factory = DistributedLocks.getInstance("redisson", config)) {
            DistributedLock lock = factory.getLock(Fixture.NAME);
            run(new Mutex() {
                @Override
                public long lock() {
                    lock.lock();
                    return lock.lease().orElseThrow().fencingToken().orElseThrow();
                }

                @Override
                public void unlock() {
                    lock.unlock();
                }
            });
        }
    }

    /** Fails if one of the threads does, so that the process does not say that it is done. */
    private void run(Mutex mutex) throws Exception {
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            String process = name + "-" + i;
            threads.add(Fixture.start(() -> {
                lockAndUnlock(mutex, process);
                return true;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            thread.get();
        }
    }

    private void lockAndUnlock(Mutex mutex, String process) {
        for (int i = 0; i < ROUNDS; i++) {
            recorder.invoke(process, Event.Op.ACQUIRE, Fixture.NAME);
            long token = mutex.lock();
            recorder.acquired(System.nanoTime(), process, Fixture.NAME, OptionalLong.of(token), OptionalLong.empty());
            Thread.yield();
            recorder.invoke(process, Event.Op.RELEASE, Fixture.NAME);
            mutex.unlock();
            recorder.released(process, Fixture.NAME);
        }
    }
}
