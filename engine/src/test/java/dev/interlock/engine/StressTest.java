// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockConfig;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine on real threads and clocks. */
class StressTest {
    private static final Duration RUN = Duration.ofSeconds(4);
    private static final long HANG_MILLIS = 60_000;
    private static final Logger LOG = Logger.getLogger("dev.interlock.engine");

    private final Environment env = Environment.system();
    private final InMemoryServer server = new InMemoryServer(env);
    private final List<Thread> threads = new ArrayList<>();

    @BeforeEach
    void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        LOG.setLevel(null);
    }

    private LockEngine engine(InMemoryProtocol protocol, int handoffs) {
        LockConfig config = LockConfig.builder()
                .endpoints("redis://localhost")
                .waitCeiling(Duration.ofMillis(50))
                .localHandoffs(handoffs)
                .build();
        return (LockEngine) LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, env);
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work, "worker " + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(HANG_MILLIS);
            assertThat(thread.isAlive())
                    .as(() -> thread + " hangs at " + List.of(thread.getStackTrace()))
                    .isFalse();
        }
    }

    /** Background releases may still be running when the last thread has ended. */
    private void assertNothingStays(LockEngine engine) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HANG_MILLIS);
        while (engine.core().cells().size() > 0 && System.nanoTime() - until < 0) {
            env.park(this, TimeUnit.MILLISECONDS.toNanos(5));
        }
        assertThat(engine.core().cells().size()).isZero();
    }

    @Test
    void manyThreadsOfManyFactoriesKeepEachOtherOutWhateverGoesWrong() throws InterruptedException {
        Chaos chaos = new Chaos(env, true);
        Random random = new Random(42);
        List<LockEngine> engines = new ArrayList<>();
        List<InMemoryProtocol> protocols = new ArrayList<>();
        AtomicBoolean running = new AtomicBoolean(true);
        for (int i = 0; i < 3; i++) {
            InMemoryProtocol protocol = new InMemoryProtocol(env, server);
            protocol.checksInterrupts = false;
            protocol.always(Verb.ATTEMPT, Chaos.faults(random, 10));
            protocol.always(Verb.RENEW, Chaos.faults(random, 10));
            protocol.always(Verb.RELEASE, Chaos.faults(random, 10));
            protocols.add(protocol);
            LockEngine engine = engine(protocol, i);
            engines.add(engine);
            for (int j = 0; j < 4; j++) {
                long seed = 1000L * i + j;
                start(() -> {
                    for (long round = 0; running.get(); round++) {
                        chaos.work(engine, 1, seed + 7919 * round, "a", "b", "c");
                    }
                });
            }
        }
        long until = System.nanoTime() + RUN.toNanos();
        while (System.nanoTime() - until < 0) {
            env.park(this, TimeUnit.MILLISECONDS.toNanos(5));
            threads.get(random.nextInt(threads.size())).interrupt();
        }
        running.set(false);
        protocols.forEach(InMemoryProtocol::heal);
        join();
        assertThat(chaos.violations()).isEmpty();
        assertThat(chaos.acquired()).isPositive();
        for (LockEngine engine : engines) {
            assertNothingStays(engine);
            engine.close();
        }
    }

    @Test
    void plainFieldsUnderTheLockAreSeenByTheNextHolder() throws InterruptedException {
        LockEngine engine = engine(new InMemoryProtocol(env, server), 3);
        long[] fields = new long[2];
        for (int i = 0; i < 6; i++) {
            start(() -> {
                DistributedLock lock = engine.getLock("counter");
                for (int round = 0; round < 500; round++) {
                    lock.lock();
                    try {
                        assertThat(fields[1]).isEqualTo(fields[0]);
                        fields[0]++;
                        Thread.onSpinWait();
                        fields[1]++;
                    } finally {
                        lock.unlock();
                    }
                }
            });
        }
        join();
        assertThat(fields).containsExactly(3000, 3000);
        assertNothingStays(engine);
        engine.close();
    }
}
