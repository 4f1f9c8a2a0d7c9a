// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** One key shared with programs that have used it all along. */
@ParameterizedClass
@CsvSource({"seconds, true", "seconds, false", "milliseconds, true", "milliseconds, false"})
class HistoricalClientTest {
    @Parameter(0)
    String unit;

    @Parameter(1)
    String fraction;

    private final List<HistoricalClient> clients = new ArrayList<>();
    private Fixture redis;
    private HistoricalClient old;
    private DistributedLock ours;

    @BeforeEach
    void start() {
        redis = new Fixture();
        old = historical(Duration.ZERO);
        ours = redis.factory("unit", unit, "fraction", fraction).getLock(Fixture.NAME);
    }

    @AfterEach
    void stop() {
        clients.forEach(HistoricalClient::close);
        redis.close();
    }

    private HistoricalClient historical(Duration ahead) {
        HistoricalClient client = new HistoricalClient(redis.server.port(), unit.equals("seconds"), ahead);
        clients.add(client);
        return client;
    }

    @Test
    void eachIsRefusedWhileTheOtherHoldsAndNotAfterwards() {
        assertThat(old.tryLock(Fixture.HOUR)).isTrue();
        assertThat(ours.tryLock()).isFalse();
        old.unlock();
        assertThat(ours.tryLock()).isTrue();
        assertThat(old.tryLock(Fixture.HOUR)).isFalse();
        ours.unlock();
        assertThat(old.tryLock(Fixture.HOUR)).isTrue();
    }

    @Test
    void theKeyHoldsTheTimeAtWhichTheLeaseEndsPlusOne() {
        long before = System.currentTimeMillis();
        redis.factory("unit", unit, "fraction", fraction)
                .getLock(Fixture.NAME, Fixture.abandoned(Fixture.HOUR))
                .lock();
        long after = System.currentTimeMillis();
        long unitMillis = unit.equals("seconds") ? 1000 : 1;
        long value = Long.parseLong(redis.value().split("\\.")[0]);
        long hour = Fixture.HOUR.toMillis() / unitMillis;
        assertThat(value).isBetween(before / unitMillis + hour + 1, after / unitMillis + hour + 2);
        assertThat(redis.value().contains(".")).isEqualTo(fraction.equals("true"));
        assertThat(redis.server.command("TTL", Fixture.KEY))
                .as("no time to live")
                .isEqualTo(-1L);
    }

    @Test
    void eachTakesOverWhatTheOtherLeftBehind() {
        HistoricalClient behind = historical(Fixture.HOUR.negated());
        assertThat(behind.tryLock(Duration.ofSeconds(10))).isTrue();
        assertThat(ours.tryLock()).isTrue();
        String value = redis.value();
        assertThat(old.tryLock(Duration.ofSeconds(10))).isFalse();
        HistoricalClient ahead = historical(Fixture.HOUR);
        assertThat(ahead.tryLock(Duration.ofSeconds(10))).isTrue();
        assertThat(redis.value()).isNotEqualTo(value);
    }

    @Test
    void whoWaitsGetsTheLockOfAHistoricalClientThatDied() throws Exception {
        HistoricalClient behind = historical(Fixture.HOUR.negated());
        assertThat(behind.tryLock(Fixture.HOUR.plusSeconds(1))).isTrue();
        assertThat(ours.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** The weakness that a historical client brings along: it moves the end of a lease that is not its own. */
    @Test
    void aHistoricalClientThatComesTooLateTakesOurTimestampAwayAndWeAreToldAndNobodyElseGetsTheLock() {
        HistoricalClient behind = historical(Fixture.HOUR.negated());
        assertThat(behind.tryLock(Duration.ofSeconds(10))).isTrue();
        List<LossCause> told = new CopyOnWriteArrayList<>();
        ours.lock();
        ours.lease().orElseThrow().onLoss(told::add);
        assertThat(old.getset(Fixture.HOUR))
                .as("as it had seen the old time as well")
                .isFalse();
        assertThat(ours.tryLock()).as("it is held here").isTrue();
        ours.unlock();
        assertThat(catchLoss(ours)).isEqualTo(LossCause.TAKEN);
        await().atMost(Fixture.PATIENCE).untilAsserted(() -> assertThat(told).containsExactly(LossCause.TAKEN));
        assertThat(redis.value()).as("nobody's, until it has passed").isNotNull();
        assertThat(ours.tryLock()).isFalse();
        assertThat(old.tryLock(Fixture.HOUR)).isFalse();
    }

    private static LossCause catchLoss(DistributedLock lock) {
        try {
            lock.unlock();
            return null;
        } catch (LeaseLostException e) {
            return e.lossCause();
        }
    }

    @Test
    void neverTwoHoldUnderLoad() throws Exception {
        int threads = 3;
        int rounds = 30;
        int[] count = new int[1];
        List<FutureTask<Object>> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            HistoricalClient client = historical(Duration.ZERO);
            DistributedLock lock =
                    redis.factory("unit", unit, "fraction", fraction).getLock(Fixture.NAME);
            workers.add(Fixture.start(() -> {
                for (int i = 0; i < rounds; i++) {
                    await().atMost(Fixture.PATIENCE)
                            .pollDelay(Duration.ZERO)
                            .pollInterval(Duration.ofMillis(1))
                            .until(() -> client.tryLock(Fixture.HOUR));
                    count[0]++;
                    client.unlock();
                }
                return null;
            }));
            workers.add(Fixture.start(() -> {
                for (int i = 0; i < rounds; i++) {
                    lock.lock();
                    count[0]++;
                    lock.unlock();
                }
                return null;
            }));
        }
        for (FutureTask<Object> worker : workers) {
            worker.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(count[0]).isEqualTo(2 * threads * rounds);
    }
}
