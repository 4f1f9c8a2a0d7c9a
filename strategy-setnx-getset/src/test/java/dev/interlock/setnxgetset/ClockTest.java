// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.spi.Assumption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients whose wall clock is wrong, with each choice of the clock. */
class ClockTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aClientWhoseClockIsAheadIsASecondHolder() {
        DistributedLockFactory right = redis.factory();
        DistributedLock held = right.getLock(Fixture.NAME, Fixture.abandoned(LEASE));
        held.lock();
        DistributedLock ahead = redis.skewed(Fixture.HOUR).getLock(Fixture.NAME);
        assertThat(ahead.tryLock()).isTrue();
        assertThat(held.isHeldByCurrentThread()).as("two holders at once").isTrue();
        assertThat(right.profile().assumptions()).contains(Assumption.CLIENT_CLOCKS_AGREE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "observed"})
    void aClientWhoseClockIsAheadIsRefusedWhereItsClockIsNotAsked(String clock) {
        DistributedLockFactory right = redis.factory("clock", clock);
        DistributedLock held = right.getLock(Fixture.NAME, Fixture.abandoned(LEASE));
        held.lock();
        DistributedLock ahead = redis.skewed(Fixture.HOUR, "clock", clock).getLock(Fixture.NAME);
        assertThat(ahead.tryLock()).isFalse();
        assertThat(right.profile().assumptions()).doesNotContain(Assumption.CLIENT_CLOCKS_AGREE);
        held.unlock();
        assertThat(ahead.tryLock()).isTrue();
        assertThat(held.tryLock()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "observed"})
    void aClientWhoseClockIsBehindTakesOverAfterTheLeaseWhereItsClockIsNotAsked(String clock) throws Exception {
        Fixture.connect(redis.factory("clock", clock))
                .getLock(Fixture.NAME, Fixture.abandoned(Duration.ofSeconds(3)))
                .lock();
        DistributedLock behind =
                redis.skewed(Fixture.HOUR.negated(), "clock", clock).getLock(Fixture.NAME);
        assertThat(behind.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void anObserverTakesOverNothingThatItHasNotSeenForAWholeLease() {
        redis.server.command("SET", Fixture.KEY, "1300000000");
        DistributedLock observer =
                redis.factory("clock", "observed", "clock-max-ahead", "1h").getLock(Fixture.NAME);
        assertThat(observer.tryLock()).isFalse();
        assertThat(observer.tryLock()).isFalse();
        DistributedLock believer = redis.factory().getLock(Fixture.NAME);
        assertThat(believer.tryLock()).as("the time has passed long ago").isTrue();
    }

    @Test
    void anObserverTakesOverFromAHistoricalClientAfterTheLongestLease() throws Exception {
        redis.server.command("SET", Fixture.KEY, "1300000000");
        DistributedLock observer = redis.factory("clock", "observed", "clock-max-ahead", "3s")
                .getLock(Fixture.NAME, Fixture.abandoned(Duration.ofSeconds(3)));
        assertThat(observer.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void anObserverBeginsAnewWhenTheTimestampChanges() {
        DistributedLock observer =
                redis.factory("clock", "observed", "clock-max-ahead", "1h").getLock(Fixture.NAME);
        TimestampFormat format = new TimestampFormat(true, true);
        for (int i = 0; i < 5; i++) {
            redis.server.command("SET", Fixture.KEY, "1300000000." + "000" + "000000001" + "00000000000" + i);
            assertThat(observer.tryLock()).isFalse();
        }
        assertThat(format.read(redis.value()).orElseThrow().lease()).contains(Duration.ofMillis(1));
    }
}
