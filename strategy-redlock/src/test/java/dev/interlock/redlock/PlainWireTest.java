// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.spi.Assumption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lock whose key is the name as it is on each node, which Redlock clients of other makes use too. */
class PlainWireTest {
    private static final String NAME = "orders";
    private static final String FOREIGN = "5f0c3f1e9a";

    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    private DistributedLockFactory factory() {
        return redis.factory(config -> Fixture.trusting(config).option("wire", "plain"));
    }

    private List<Object> words() {
        return Arrays.asList(redis.servers.stream()
                .map(server -> server.command("GET", NAME))
                .toArray());
    }

    private void holdElsewhere(int... nodes) {
        for (int node : nodes) {
            redis.servers.get(node).command("SET", NAME, FOREIGN, "PX", "60000");
        }
    }

    private void releaseElsewhere() {
        redis.servers.stream()
                .filter(server -> FOREIGN.equals(server.command("GET", NAME)))
                .forEach(server -> server.command("DEL", NAME));
    }

    @Test
    void eachNodeHoldsOneTokenUnderTheName() {
        DistributedLock lock = factory().getLock(NAME);
        lock.lock();
        await().atMost(Fixture.PATIENCE).until(() -> words().stream().allMatch(Objects::nonNull));
        assertThat(words()).doesNotContain(FOREIGN);
        assertThat(words().stream().distinct()).hasSize(1);
        lock.unlock();
        await().atMost(Fixture.PATIENCE).until(() -> words().stream().noneMatch(Objects::nonNull));
    }

    @Test
    void aMajorityOfOthersIsWaitedForAndLeftAsItIs() throws Exception {
        holdElsewhere(0, 1, 2);
        DistributedLock lock = factory().getLock(NAME);
        assertThat(lock.tryLock()).isFalse();
        FutureTask<Object> waiter = Fixture.passing(lock);
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                                .mapToLong(server -> (Long) server.command("ZCARD", "interlock:{orders}:plain:waiting"))
                                .sum()
                        == 1);
        assertThat(words()).containsOnly(FOREIGN);
        assertThat(waiter.isDone()).isFalse();
        releaseElsewhere();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aMinorityOfOthersIsOutvotedAndLeftAsItIs() {
        holdElsewhere(1);
        DistributedLock lock = factory().getLock(NAME);
        lock.lock();
        assertThat(words().get(1)).isEqualTo(FOREIGN);
        lock.unlock();
        await().atMost(Fixture.PATIENCE).until(() -> words().get(0) == null && words().get(2) == null);
        assertThat(words().get(1)).isEqualTo(FOREIGN);
        assertThat((Long) redis.servers.get(1).command("PTTL", NAME)).isPositive();
    }

    @Test
    void ourWaitersGetTheLockInTurnAndTheKeyHoldsNothingElse() throws Exception {
        DistributedLock held = factory().getLock(NAME);
        held.lock();
        // A majority has answered, and the others answer later.
        await().atMost(Fixture.PATIENCE).until(() -> !words().contains(null));
        Object token = words().get(0);
        FutureTask<Object> waiter = Fixture.passing(factory().getLock(NAME));
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                                .mapToLong(server -> (Long) server.command("ZCARD", "interlock:{orders}:plain:waiting"))
                                .sum()
                        == 1);
        assertThat(words().stream().filter(Objects::nonNull)).containsOnly(token);
        held.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void othersLetANodeVoteThatHasForgottenItsLeases() {
        assertThat(factory().profile().assumptions()).contains(Assumption.RESTART_KEEPS_DATA);
        assertThat(redis.factory(config -> config.option("wire", "plain"))
                        .profile()
                        .assumptions())
                .contains(Assumption.RESTART_KEEPS_DATA);
    }
}
