// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.redisson.inspect.RedissonInspectionProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Inspection of Redisson's locks by an operator, ours and plain ones, and releases by force. */
class InspectionTest {
    private final Fixture redis = new Fixture();
    private final LockConfig config = LockConfig.of(redis.server.uri()).toBuilder()
            .commandTimeout(Fixture.TIMEOUT)
            .build();
    private final LockInspection inspection = new RedissonInspectionProvider().open(config);

    @AfterEach
    void close() {
        inspection.close();
        redis.close();
    }

    private InspectedLock look() {
        return inspection.look(Fixture.NAME).orElseThrow();
    }

    @Test
    void ourHolderIsSeenByItsFactoryAndItsClientWithoutItsTokenAndWithItsCard() {
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
        DistributedLock lock = redis.lock(Fixture.lease(Fixture.LONG));
        lock.lock();
        InspectedLock seen = look();
        String owner = String.valueOf(((List<?>) redis.server.command("HKEYS", Fixture.NAME)).get(0));
        assertThat(seen.holder().client()).contains(owner.substring(0, owner.indexOf(':')));
        assertThat(seen.holder().thread()).isEmpty();
        assertThat(seen.toString()).doesNotContain(owner.substring(owner.indexOf(':') + 1));
        assertThat(seen.remaining().orElseThrow()).isBetween(Duration.ofMinutes(1), Fixture.LONG);
        assertThat(seen.lastFence().orElseThrow())
                .isGreaterThanOrEqualTo(
                        lock.lease().orElseThrow().fencingToken().orElseThrow());

        FactoryCard card = new FactoryCard("host", 7, "billing", Instant.EPOCH);
        redis.server.command(
                "SET", "interlock:factory:" + seen.holder().factory().orElseThrow(), card.text());
        assertThat(look().holder().card()).contains(card);
        lock.unlock();
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
    }

    @Test
    void aLongLeaseThatNobodyRenewsHasACard() {
        redis.lock(Fixture.abandoned(Fixture.LONG)).lock();
        await().atMost(Fixture.PATIENCE).until(() -> look().holder().card().isPresent());
        assertThat(look().holder().card().orElseThrow().pid())
                .isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void withHoldsInRedisTheThreadAndItsCountAreSeen() {
        DistributedLock lock = redis.over(redis.plain(), "holds", "redis")
                .getLock(Fixture.NAME, Fixture.lease(Duration.ofSeconds(30)));
        lock.lock();
        lock.lock();
        InspectedLock seen = look();
        assertThat(seen.holder().thread())
                .contains(Long.toString(Thread.currentThread().getId()));
        assertThat(seen.holds()).hasValue(2);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void aPlainLockIsSeenWithItsClientItsThreadAndItsHoldsAndFreedByForce() throws Exception {
        RedissonClient client = redis.plain();
        RLock plain = client.getLock(Fixture.NAME);
        plain.lock();
        plain.lock();
        FutureTask<Boolean> waiting = Fixture.start(() -> {
            DistributedLock lock = redis.lock(Fixture.lease(Fixture.LONG));
            lock.lock();
            lock.unlock();
            return true;
        });
        redis.awaitWaiter();
        InspectedLock seen = look();
        assertThat(seen.holder().client()).contains(client.getId());
        assertThat(seen.holder().thread())
                .contains(Long.toString(Thread.currentThread().getId()));
        assertThat(seen.holder().factory()).isEmpty();
        assertThat(seen.holds()).hasValue(2);
        assertThat(seen.waiting()).hasValue(1);
        assertThat(seen.note()).contains("listen for the release");

        assertThat(inspection.release(seen)).isTrue();
        assertThat(Fixture.result(waiting)).as("the next one was woken").isTrue();
        assertThat(inspection.release(seen)).isFalse();
    }

    @Test
    void thoseWhoWaitForAPlainFairLockAreSeenInTheirOrderAndTheFirstIsWokenByForce() throws Exception {
        RedissonClient holder = redis.plain();
        RedissonClient first = redis.plain();
        RedissonClient second = redis.plain();
        holder.getFairLock(Fixture.NAME).lock();
        FutureTask<Boolean> firstTurn = passing(first);
        await().atMost(Fixture.PATIENCE).until(() -> look().waiters().size() == 1);
        FutureTask<Boolean> secondTurn = passing(second);
        await().atMost(Fixture.PATIENCE).until(() -> look().waiters().size() == 2);
        assertThat(look().waiters())
                .extracting(LockParty::client)
                .extracting(client -> client.orElseThrow())
                .isEqualTo(Arrays.asList(first.getId(), second.getId()));
        assertThat(look().waiting()).hasValue(2);
        assertThat(inspection.release(look())).isTrue();
        assertThat(Fixture.result(firstTurn)).isTrue();
        assertThat(Fixture.result(secondTurn)).isTrue();
    }

    private static FutureTask<Boolean> passing(RedissonClient client) {
        return Fixture.start(() -> {
            RLock lock = client.getFairLock(Fixture.NAME);
            lock.lock();
            lock.unlock();
            return true;
        });
    }

    @Test
    void aReleaseByForceTellsOurHolderAndLeavesALaterClaimAlone() {
        DistributedLock lock = redis.lock(Fixture.lease(Fixture.LONG));
        lock.lock();
        InspectedLock earlier = look();
        lock.unlock();
        lock.lock();
        assertThat(inspection.release(earlier)).isFalse();
        assertThat(inspection.release(look())).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void otherHashesAreNoLocks() {
        redis.server.command("HSET", Fixture.NAME, "field", "value");
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
        redis.server.command("DEL", Fixture.NAME);
        redis.plain().getReadWriteLock(Fixture.NAME).readLock().lock();
        assertThat(inspection.look(Fixture.NAME))
                .as("a read-write lock is none of these")
                .isEmpty();
        redis.server.command("DEL", Fixture.NAME);
        redis.server.command("SET", Fixture.NAME, "text");
        assertThat(inspection.look(Fixture.NAME)).isEmpty();
    }

    @Test
    void namesUnderAPrefixStandInBraces() {
        LockConfig billing = config.toBuilder().keyPrefix("billing").build();
        redis.factory(builder -> builder.keyPrefix("billing")).getLock("a").lock();
        try (LockInspection prefixed = new RedissonInspectionProvider().open(billing)) {
            assertThat(prefixed.look("a")).isPresent();
            assertThat(prefixed.lockName("billing:{a}")).contains("a");
            assertThat(prefixed.lockName("a")).isEmpty();
        }
    }
}
