// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the key holds, or comes to hold between two steps: never a silent take-over. */
class FoundValueTest {
    private static final String LONG_AGO = "1300000000";

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "free", "-5", "0", "12", "1e9", "2f7c9a3b", "99999999999999999999"})
    void whatIsNoTimeIsAnErrorThatSaysWhatToDoAndIsLeftAlone(String value) {
        redis.server.command("SET", Fixture.KEY, value);
        assertRefused("seconds", "delete the key");
        assertThat(redis.value()).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({"seconds, 1300000000000", "milliseconds, 1300000000"})
    void aTimeInAnotherUnitIsAnError(String unit, String value) {
        redis.server.command("SET", Fixture.KEY, value);
        assertRefused(unit, "unit");
        assertThat(redis.value()).isEqualTo(value);
    }

    @Test
    void aTimeTooFarAheadIsAnError() {
        redis.server.command(
                "SET", Fixture.KEY, Long.toString(System.currentTimeMillis() / 1000 + TimeUnit.DAYS.toSeconds(9)));
        assertRefused("seconds", "clock-max-ahead=PT192H");
    }

    private void assertRefused(String unit, String explanation) {
        DistributedLock lock = redis.factory("unit", unit).getLock(Fixture.NAME);
        assertThatThrownBy(lock::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
                .hasMessageContaining(Fixture.KEY)
                .hasMessageContaining(explanation);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aKeyOfAnotherTypeIsAnErrorAndIsLeftAlone() {
        redis.server.command("LPUSH", Fixture.KEY, "something");
        assertThatThrownBy(redis.factory().getLock(Fixture.NAME)::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
        assertThat(redis.server.command("LLEN", Fixture.KEY)).isEqualTo(1L);
    }

    @Test
    void aLeaseThatOthersWouldNotBelieveIsAnError() {
        DistributedLock lock =
                redis.factory("clock-max-ahead", "1m").getLock(Fixture.NAME, Fixture.abandoned(Duration.ofMinutes(2)));
        assertThatThrownBy(lock::lock).hasMessageContaining("clock-max-ahead=PT1M");
        assertThat(redis.value()).isNull();
    }

    @Test
    void aKeyThatGoesBetweenTheStepsIsTriedAgain() {
        redis.server.command("SET", Fixture.KEY, LONG_AGO + "0");
        DistributedLock lock = redis.factory(
                        Duration.ZERO,
                        node -> new MeddlingNode(node, "GET", () -> redis.server.command("DEL", Fixture.KEY)))
                .getLock(Fixture.NAME);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void aKeyThatAnotherTakesOverBetweenTheStepsIsNotOurs() {
        String theirs = Long.toString(System.currentTimeMillis() / 1000 + 1000);
        redis.server.command("SET", Fixture.KEY, LONG_AGO);
        DistributedLock lock = redis.factory(
                        Duration.ZERO,
                        node -> new MeddlingNode(
                                node, "transaction", () -> redis.server.command("SET", Fixture.KEY, theirs)))
                .getLock(Fixture.NAME);
        assertThat(lock.tryLock()).isFalse();
        assertThat(redis.value()).as("nor is its end moved").isEqualTo(theirs);
    }

    @Test
    void ofManyWhoTakeOverAtOnceOneDoesAndKeepsIt() throws Exception {
        int clients = 6;
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            locks.add(redis.factory().getLock(Fixture.NAME));
        }
        for (int round = 0; round < 50; round++) {
            redis.server.command("SET", Fixture.KEY, LONG_AGO);
            CyclicBarrier start = new CyclicBarrier(clients);
            CyclicBarrier end = new CyclicBarrier(clients);
            List<FutureTask<Boolean>> tries = new ArrayList<>();
            for (DistributedLock lock : locks) {
                tries.add(Fixture.start(() -> {
                    start.await();
                    boolean got = lock.tryLock();
                    end.await();
                    if (got) {
                        // Throws if another's GETSET has moved the end of this lease.
                        lock.unlock();
                    }
                    return got;
                }));
            }
            int winners = 0;
            for (FutureTask<Boolean> task : tries) {
                winners += task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS) ? 1 : 0;
            }
            assertThat(winners).isOne();
        }
    }
}
