// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many names, on a backend that takes no time and remembers only what is held. */
class ScaleTest {
    private static final int NAMES = 1_000_000;
    private static final int THREADS = 4;

    /** By how much the heap may grow: less than the smallest object that could be forgotten for each name. */
    private static final long SPARE_BYTES = 8L * NAMES;

    private static final class Holders implements LeaseProtocol {
        private final Map<String, String> tokens = new ConcurrentHashMap<>();

        @Override
        public Attempt attempt(Claim claim) {
            return tokens.putIfAbsent(claim.name(), claim.token()) == null
                    ? new Attempt.Granted(claim.lease(), OptionalLong.empty())
                    : new Attempt.Refused(Optional.of(Duration.ofMillis(1)));
        }

        @Override
        public List<Renewal> renew(List<Claim> claims) {
            List<Renewal> renewals = new ArrayList<>();
            claims.forEach(claim -> renewals.add(new Renewal.Renewed(claim.lease())));
            return renewals;
        }

        @Override
        public Release release(Claim claim) {
            return tokens.remove(claim.name(), claim.token())
                    ? new Release.Freed(true)
                    : new Release.Lost(LossCause.GONE);
        }

        @Override
        public boolean isLocked(String name) {
            return tokens.containsKey(name);
        }

        @Override
        public Watch watch(String name, Runnable onFreed) {
            return Watch.NONE;
        }

        @Override
        public void close() {}
    }

    @Test
    void aMillionNamesLeaveNothingBehind() throws Exception {
        Holders protocol = new Holders();
        LockConfig config = LockConfig.builder().endpoints("redis://localhost").build();
        try (LockEngine engine = (LockEngine)
                LockEngine.newFactory("memory", EngineTest.PROFILE, protocol, config, Environment.system())) {
            lockAndUnlock(engine, "warm", NAMES / 20);
            long before = usedHeap();
            lockAndUnlock(engine, "name", NAMES);
            assertThat(usedHeap() - before).isLessThan(SPARE_BYTES);
            assertThat(engine.core().cells().size()).isZero();
            assertThat(protocol.tokens).isEmpty();
        }
    }

    private static void lockAndUnlock(LockEngine engine, String prefix, int names) throws Exception {
        List<FutureTask<Void>> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            FutureTask<Void> work = new FutureTask<>(() -> {
                for (int i = first; i < names; i += THREADS) {
                    DistributedLock lock = engine.getLock(prefix + i);
                    lock.lock();
                    lock.unlock();
                }
                return null;
            });
            threads.add(work);
            Thread thread = new Thread(work, "names " + t);
            thread.setDaemon(true);
            thread.start();
        }
        for (FutureTask<Void> thread : threads) {
            thread.get(1, TimeUnit.HOURS);
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
