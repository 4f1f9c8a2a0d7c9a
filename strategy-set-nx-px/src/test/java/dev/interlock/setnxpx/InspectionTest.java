// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Inspection of locks by an operator, and releases by force. */
class InspectionTest {
    private static final String NAME = "invoice:42";

    private final Fixture redis = new Fixture("interlock");
    private LockInspection inspection;

    @BeforeEach
    void open() {
        inspection = new SetNxPxInspectionProvider()
                .open(LockConfig.of(redis.server.uri()).toBuilder()
                        .commandTimeout(Fixture.PATIENCE)
                        .build());
    }

    @AfterEach
    void close() {
        inspection.close();
        redis.close();
    }

    private DistributedLock lock() {
        return lockOf(redis.factory());
    }

    private static DistributedLock lockOf(DistributedLockFactory factory) {
        return factory.getLock(NAME, Fixture.lease(Duration.ofMinutes(10)));
    }

    private InspectedLock look() {
        return inspection.look(NAME).orElseThrow();
    }

    /** A thread of another client that waits for the lock and passes it on. */
    private FutureTask<Lease> waiting(int waiters) {
        FutureTask<Lease> turn = Fixture.passing(lock());
        redis.awaitWaiters(NAME, waiters);
        return turn;
    }

    private static void awaitTurn(FutureTask<Lease> turn) throws Exception {
        turn.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aHeldLockIsSeenWithItsLeaseAndItsFencingToken() {
        assertThat(inspection.look(NAME)).isEmpty();
        Instant before = Instant.now();
        DistributedLock lock = lock();
        lock.lock();
        InspectedLock seen = look();
        assertThat(seen.name()).isEqualTo(NAME);
        assertThat(seen.remaining().orElseThrow()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(10));
        assertThat(seen.lastFence().orElseThrow())
                .isGreaterThanOrEqualTo(
                        lock.lease().orElseThrow().fencingToken().orElseThrow());
        assertThat(seen.holder().since().orElseThrow())
                .isBetween(before.minusSeconds(2), Instant.now().plusSeconds(2));
        assertThat(seen.waiters()).isEmpty();
        assertThat(inspection.lockName(Fixture.key(NAME))).contains(NAME);

        lock.unlock();
        assertThat(inspection.look(NAME)).isEmpty();
    }

    @Test
    void thoseWhoWaitAreSeenInTheOrderInWhichTheyCame() throws Exception {
        DistributedLock held = lock();
        held.lock();
        List<FutureTask<Lease>> turns = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            turns.add(waiting(i));
        }
        InspectedLock seen = look();
        assertThat(seen.waiting()).hasValue(3);
        assertThat(seen.waiters())
                .extracting(waiter -> waiter.since().orElseThrow())
                .isSorted()
                .hasSize(3);
        assertThat(seen.waiters())
                .extracting(LockParty::factory)
                .doesNotHaveDuplicates()
                .doesNotContain(seen.holder().factory());
        held.unlock();
        for (FutureTask<Lease> turn : turns) {
            awaitTurn(turn);
        }
    }

    @Test
    void oneFactoryIsTheSameWhateverItHoldsAndNoTokenIsTold() {
        DistributedLockFactory factory = redis.factory();
        DistributedLock other = factory.getLock("other");
        lockOf(factory).lock();
        other.lock();
        InspectedLock seen = look();
        LockParty alsoThere = inspection.look("other").orElseThrow().holder();
        assertThat(alsoThere.factory()).isEqualTo(seen.holder().factory());
        assertThat(alsoThere.claim())
                .isNotEqualTo(seen.holder().claim())
                .startsWith(alsoThere.factory().orElseThrow() + "-");

        String token = LockWord.token(String.valueOf(redis.server.command("GET", Fixture.key(NAME))));
        assertThat(token.length()).isGreaterThan(20);
        assertThat(seen.toString()).doesNotContain(token.substring(0, 8));
    }

    @Test
    void aReleaseByForceGrantsTheLockToTheNextWaiterAndTheHolderLearnsOfItsLoss() throws Exception {
        DistributedLock held = lock();
        held.lock();
        FutureTask<Lease> turn = waiting(1);
        assertThat(inspection.release(look())).isTrue();
        awaitTurn(turn);
        assertThatThrownBy(held::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aReleaseByForceLeavesALaterClaimAlone() {
        DistributedLock lock = lock();
        lock.lock();
        InspectedLock earlier = look();
        lock.unlock();
        lock.lock();
        assertThat(inspection.release(earlier)).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(inspection.release(earlier)).isFalse();
    }

    @Test
    void aKeyThatIsNoneOfOursIsNoLock() {
        redis.holdElsewhere(NAME);
        assertThat(inspection.look(NAME)).isEmpty();
        redis.server.command("DEL", Fixture.key(NAME));
        redis.server.command("RPUSH", Fixture.key(NAME), "a list");
        assertThat(inspection.look(NAME)).isEmpty();
    }

    @Test
    void theCardOfTheFactoryIsShown() {
        lock().lock();
        String key = "interlock:factory:" + look().holder().factory().orElseThrow();
        redis.server.command("SET", key, new FactoryCard("host", 7, "billing", Instant.EPOCH).text());
        assertThat(look().holder().card()).contains(new FactoryCard("host", 7, "billing", Instant.EPOCH));
        redis.server.command("SET", key, "no card");
        assertThat(look().holder().card()).isEmpty();
    }
}
