// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FencingTest {
    Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private static long tokenOf(DistributedLock lock) {
        lock.lock();
        try {
            return lock.lease().orElseThrow().fencingToken().orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void tokensGrowAcrossClientsFlushesAndRestarts() {
        DistributedLock a = redis.factory().getLock("fenced");
        DistributedLock b = redis.factory().getLock("fenced");
        List<Long> tokens = new ArrayList<>();
        tokens.add(tokenOf(a));
        tokens.add(tokenOf(b));
        redis.server.command("FLUSHALL");
        tokens.add(tokenOf(a));
        redis.server.restart();
        tokens.add(tokenOf(redis.factory().getLock("fenced")));
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens).allMatch(token -> token < 1L << 53);
    }

    @Test
    void tokensGrowAlthoughTheServersClockWasSetBack() {
        DistributedLock lock = redis.factory().getLock("fenced");
        tokenOf(lock);
        long ahead = 8_000_000_000_000_000L;
        redis.server.command("SET", Fixture.key("fenced") + ":fence", Long.toString(ahead));
        assertThat(tokenOf(lock)).isEqualTo(ahead + 1);
    }

    @Test
    void reentryKeepsTheToken() {
        DistributedLock lock = redis.factory().getLock("fenced");
        lock.lock();
        Lease outer = lock.lease().orElseThrow();
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isEqualTo(outer.fencingToken());
        lock.unlock();
        lock.unlock();
    }

    @Test
    void threadsThatHandTheLockOverHaveTokensOfTheirOwn() throws Exception {
        DistributedLock lock = redis.factory().getLock("fenced");
        List<Long> tokens = new CopyOnWriteArrayList<>();
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(Fixture.start(() -> {
                for (int j = 0; j < 50; j++) {
                    lock.lock();
                    try {
                        tokens.add(lock.lease().orElseThrow().fencingToken().orElseThrow());
                    } finally {
                        lock.unlock();
                    }
                }
                return null;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            thread.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(tokens).hasSize(400).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aCounterThatIsNoNumberIsReportedAndNothingIsWritten() {
        redis.server.command("SET", Fixture.key("fenced") + ":fence", "nonsense");
        DistributedLock lock = redis.factory().getLock("fenced");
        assertThatThrownBy(lock::lock)
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("fence of this lock is not a number");
        assertThat(redis.isTaken("fenced")).isFalse();
    }

    @Test
    void theCounterDoesNotStayForEver() {
        tokenOf(redis.factory().getLock("fenced"));
        assertThat((Long) redis.server.command("TTL", Fixture.key("fenced") + ":fence"))
                .isPositive();
    }

    @Test
    void withoutFencingThereIsNoTokenAndNoCounter() {
        DistributedLockFactory factory = redis.factory(config -> config.option("fencing", "false"));
        assertThat(factory.profile().supports(Capability.FENCING)).isFalse();
        DistributedLock lock = factory.getLock("plain");
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isEmpty();
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of(Fixture.key("plain")));
        lock.unlock();
    }

    @Test
    void theTokenOfTheOwnerIsInNoTextThatAProgramMightLog() {
        DistributedLockFactory factory = redis.factory();
        DistributedLock lock = factory.getLock("secret");
        lock.lock();
        String owner = String.valueOf(redis.server.command("GET", Fixture.key("secret")));
        assertThat(owner).hasSizeGreaterThanOrEqualTo(22);
        assertThat(factory.toString() + lock + lock.lease().orElseThrow()).doesNotContain(owner);
        lock.unlock();
    }
}
