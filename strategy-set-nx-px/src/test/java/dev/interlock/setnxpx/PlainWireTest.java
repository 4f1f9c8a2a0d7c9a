// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock whose key is the name as it is, which programs of other makers use too. */
@Execution(ExecutionMode.CONCURRENT)
class PlainWireTest {
    private static final String NAME = "orders";
    private static final String FOREIGN = "5f0c3f1e9a";
    private static final String WAITING = "interlock:{orders}:plain:waiting";

    private final Fixture redis = new Fixture("interlock");

    @AfterEach
    void stopServer() {
        redis.close();
    }

    private DistributedLockFactory factory() {
        return factory(config -> config);
    }

    private DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        return redis.factory(config -> tweak.apply(config.option("wire", "plain")));
    }

    private Object word() {
        return redis.server.command("GET", NAME);
    }

    private void awaitWaiters(long count) {
        await().atMost(Fixture.PATIENCE).until(() -> (Long) redis.server.command("ZCARD", WAITING) == count);
    }

    private static List<String> names(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream()
                .map(command -> command.get(0).toUpperCase(Locale.ROOT))
                .toList();
    }

    @Test
    void theKeyIsTheNameBetweenPrefixAndSuffix() {
        DistributedLock lock = factory(
                        config -> config.option("wire-prefix", "app:").option("wire-suffix", ".lock"))
                .getLock("a {b} c");
        lock.lock();
        assertThat(redis.server.command("GET", "app:a {b} c.lock")).asString().startsWith(LockWord.MAGIC);
        assertThat((Long) redis.server.command("PTTL", "app:a {b} c.lock")).isPositive();
        lock.unlock();
        assertThat(redis.server.command("KEYS", "app:*")).isEqualTo(List.of());
    }

    @Test
    void theKeyHoldsOneTokenWhoeverWaitsAndTheLockIsHandedOverInOrder() throws Exception {
        DistributedLock first = factory().getLock(NAME, Fixture.lease(Duration.ofMinutes(5)));
        first.lock();
        Object before = word();
        List<FutureTask<Object>> waiters = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            // Whoever is not told would not ask again by itself.
            DistributedLock next = factory(config -> config.waitCeiling(Duration.ofHours(1)))
                    .getLock(NAME, Fixture.whole(Duration.ofMinutes(5)));
            waiters.add(Fixture.start(() -> {
                next.lock();
                order.add(number);
                Object mine = word();
                next.unlock();
                return mine;
            }));
            awaitWaiters(i + 1);
        }
        assertThat(word()).isEqualTo(before).asString().startsWith(LockWord.MAGIC);
        first.unlock();
        for (FutureTask<Object> waiter : waiters) {
            assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .asString()
                    .startsWith(LockWord.MAGIC)
                    .doesNotEndWith(LockWord.MARK);
        }
        assertThat(order).containsExactly(0, 1, 2);
        assertThat(word()).isNull();
    }

    @Test
    void anUncontendedPairCostsAsManyCommandsAsWithKeysOfOurOwn() {
        DistributedLockFactory factory = factory();
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock(NAME);
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            lock.unlock();
            assertThat(names(monitor)).containsExactly("EVALSHA", "EVALSHA");
            monitor.clear();
            Fixture.passCounting(lock);
            assertThat(names(monitor)).containsSequence("SET", "INCRBY", "EXISTS", "EVALSHA");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"queue", "poll"})
    void aForeignHolderIsWaitedForAndItsValueIsLeftAsItIs(String wakeup) throws Exception {
        redis.server.command("SET", NAME, FOREIGN, "PX", "60000");
        DistributedLock lock =
                factory(config -> config.option("wakeup", wakeup)).getLock(NAME);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
        try (CommandMonitor monitor = redis.server.monitor()) {
            FutureTask<Object> waiter = Fixture.start(() -> {
                lock.lock();
                return word();
            });
            await().atMost(Fixture.PATIENCE).until(() -> polls(monitor) >= 3);
            assertThat(word()).isEqualTo(FOREIGN);
            assertThat((Long) redis.server.command("PTTL", NAME)).isLessThan(60_000);
            redis.server.command("DEL", NAME);
            assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .asString()
                    .startsWith(LockWord.MAGIC);
        }
    }

    /** How often somebody has asked for a lock that another client holds. */
    private static long polls(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream()
                .filter(command -> command.get(0).equalsIgnoreCase("EVALSHA") && command.contains(NAME))
                .count();
    }

    @Test
    void theLockOfAForeignHolderThatDiedIsFreeAtItsExpiry() {
        redis.server.command("SET", NAME, FOREIGN, "PX", "700");
        DistributedLock lock = factory().getLock(NAME);
        lock.lock();
        assertThat(word()).asString().startsWith(LockWord.MAGIC);
        lock.unlock();
    }

    @Test
    void aForeignHolderWhoNeverEndsIsNoReasonToStopAsking() throws Exception {
        redis.server.command("SET", NAME, FOREIGN);
        DistributedLock lock = factory().getLock(NAME);
        FutureTask<Object> waiter = Fixture.start(() -> {
            lock.lock();
            return word();
        });
        awaitWaiters(1);
        redis.server.command("DEL", NAME);
        assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .asString()
                .startsWith(LockWord.MAGIC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"script", "transaction"})
    void neitherReleaseNorRenewalTouchesTheLockOfAnother(String release) {
        DistributedLock lock = factory(config ->
                        config.option("release", release).option("fencing", Boolean.toString(release.equals("script"))))
                .getLock(NAME, Fixture.lease(Duration.ofSeconds(3)));
        lock.lock();
        redis.server.command("SET", NAME, FOREIGN, "PX", "60000");
        await().atMost(Fixture.PATIENCE)
                .until(() -> lock.lease().map(it -> !it.isValid()).orElse(true));
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(word()).isEqualTo(FOREIGN);
        assertThat((Long) redis.server.command("PTTL", NAME)).isGreaterThan(0).isLessThan(60_000);
    }

    @Test
    void aServerWithoutScriptsIsServedByTransactions() {
        DistributedLockFactory factory =
                factory(config -> config.option("release", "transaction").option("fencing", "false"));
        DistributedLock lock = factory.getLock(NAME);
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            lock.unlock();
            assertThat(names(monitor)).contains("SET").doesNotContain("EVAL", "EVALSHA", "APPEND", "PUBLISH");
        }
        redis.server.command("SET", NAME, FOREIGN, "PX", "700");
        lock.lock();
        assertThat(word()).asString().startsWith(LockWord.MAGIC);
    }

    @Test
    void tokensGrowAcrossForeignHolders() {
        DistributedLock lock = factory().getLock(NAME);
        long first = Fixture.pass(lock).fencingToken().orElseThrow();
        redis.server.command("SET", NAME, FOREIGN, "PX", "100");
        assertThat(Fixture.pass(lock).fencingToken().orElseThrow()).isGreaterThan(first);
    }

    @Test
    void whoeverHoldsAndAwaitsAConditionFreesTheKey() throws Exception {
        DistributedLock lock = factory().getLock(NAME, Fixture.whole(Duration.ofMinutes(5)));
        DistributedLock other = factory().getLock(NAME);
        FutureTask<Object> waiter = Fixture.start(() -> {
            lock.lock();
            lock.condition("full").await();
            Object mine = word();
            lock.unlock();
            return mine;
        });
        await().atMost(Fixture.PATIENCE)
                .until(() -> (Long) redis.server.command("ZCARD", "interlock:{orders}:plain:condition::full") == 1);
        assertThat(word()).isNull();
        other.lock();
        Object held = word();
        other.condition("full").signal();
        assertThat(word()).isEqualTo(held);
        other.unlock();
        assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .asString()
                .startsWith(LockWord.MAGIC)
                .doesNotEndWith(LockWord.MARK);
    }

    @Test
    void aNameAmongTheKeysOfInterlockIsRefused() {
        DistributedLockFactory factory = factory();
        String ours = "interlock:{orders}:plain:fence";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.getLock(ours))
                .withMessageContaining("give the lock another name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.getLock(List.of(NAME, ours)))
                .withMessageContaining("give the lock another name");
    }

    @Test
    void readWriteLocksHaveNoPlainFormat() {
        DistributedLockFactory factory = factory();
        assertThatThrownBy(() -> factory.getReadWriteLock(NAME)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(factory.profile().summary()).contains("clients of other makes");
    }
}
