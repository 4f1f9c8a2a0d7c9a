// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Inspection of timestamps by an operator, and releases by force. */
class InspectionTest {
    private final Fixture redis = new Fixture();
    private final LockInspection inspection = new SetnxGetsetInspectionProvider()
            .open(LockConfig.of(redis.server.uri()).toBuilder()
                    .commandTimeout(Fixture.TIMEOUT)
                    .build());

    @AfterEach
    void close() {
        inspection.close();
        redis.close();
    }

    @Test
    void aTimestampThatIsToComeIsALockThatIsHeldWhateverItsUnit() {
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
        for (String unit : new String[] {"seconds", "milliseconds"}) {
            DistributedLock lock = redis.factory("unit", unit).getLock(Fixture.NAME, Fixture.abandoned(Fixture.HOUR));
            lock.lock();
            InspectedLock seen = inspection.look(Fixture.NAME).orElseThrow();
            assertThat(seen.remaining().orElseThrow()).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(61));
            assertThat(seen.holder().identity()).as("the key does not say").isEmpty();
            assertThat(seen.waiting()).isEmpty();
            assertThat(seen.note()).contains("does not say who holds the lock");
            assertThat(seen.toString()).doesNotContain(redis.value());
            lock.unlock();
            assertThat(inspection.look(Fixture.NAME)).isEmpty();
        }
    }

    @Test
    void aHistoricalClientsTimestampIsSeenAndOtherValuesAreNot() {
        long second = Instant.now().getEpochSecond();
        redis.server.command("SET", Fixture.KEY, Long.toString(second + 100));
        assertThat(inspection.look(Fixture.NAME)).isPresent();
        for (String value : new String[] {Long.toString(second - 1), "7", "value"}) {
            redis.server.command("SET", Fixture.KEY, value);
            assertThat(inspection.look(Fixture.NAME)).isEmpty();
        }
        redis.server.command("DEL", Fixture.KEY);
        redis.server.command("RPUSH", Fixture.KEY, "a list");
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
        assertThat(inspection.lockName(Fixture.KEY)).contains(Fixture.NAME);
        assertThat(inspection.lockName("foo")).isEmpty();
    }

    @Test
    void aReleaseByForceFreesTheLockAlsoIfItWasRenewedMeanwhileAndTheHolderLearnsOfItsLoss() {
        DistributedLock lock = redis.factory().getLock(Fixture.NAME, Fixture.abandoned(Fixture.HOUR));
        lock.lock();
        InspectedLock seen = inspection.look(Fixture.NAME).orElseThrow();
        redis.server.command("SET", Fixture.KEY, (Instant.now().getEpochSecond() + 7200) + ".5");
        assertThat(inspection.release(seen)).isTrue();
        assertThat(redis.value()).isNull();
        assertThat(inspection.release(seen)).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }
}
