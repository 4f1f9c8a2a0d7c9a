// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code release=transaction}, as a user who may run no scripts and touch nothing but locks. */
class TransactionTest extends OnChosenClients {
    DistributedLockFactory factory;

    @BeforeEach
    void prepare() {
        redis.server.command(
                ("ACL SETUSER locker on >s3cret resetkeys resetchannels -@all ~interlock:* &interlock:* +hello +ping +select"
                                + " +set +get +append +del +pexpire +watch +unwatch +multi +exec +discard +publish +subscribe +unsubscribe")
                        .split(" "));
        factory = asLocker(redis);
    }

    private static DistributedLockFactory asLocker(Fixture redis) {
        return redis.factory(
                "redis://locker:s3cret@127.0.0.1:" + redis.server.port(),
                config -> config.option("release", "transaction").option("fencing", "false"));
    }

    @Test
    void locksAndUnlocks() {
        DistributedLock lock = factory.getLock("tx");
        lock.lock();
        assertThat(redis.isTaken("tx")).isTrue();
        lock.unlock();
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void renews() {
        DistributedLock lock = factory.getLock("tx", Fixture.lease(Duration.ofMinutes(1)));
        lock.lock();
        redis.server.command("PEXPIRE", Fixture.key("tx"), "30000");
        Fixture.renewByHand(lock.lease().orElseThrow());
        assertThat((Long) redis.server.command("PTTL", Fixture.key("tx"))).isGreaterThan(30_000);
        lock.unlock();
    }

    @Test
    void theRenewalFindsThatTheKeyIsGone() {
        List<LossCause> told = new CopyOnWriteArrayList<>();
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock("tx", Fixture.lease(Duration.ofSeconds(9)));
        lock.lock();
        lock.lease().orElseThrow().onLoss(told::add);
        redis.server.command("DEL", Fixture.key("tx"));
        await().atMost(Fixture.PATIENCE).until(() -> told.equals(List.of(LossCause.GONE)));
        assertThat(redis.isTaken("tx")).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void leavesAKeyInOtherHandsAlone() {
        DistributedLock lock = factory.getLock("tx");
        lock.lock();
        redis.holdElsewhere("tx");
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(redis.server.command("GET", Fixture.key("tx"))).isEqualTo("somebody-else");
    }

    @Test
    void aKeyOfAnotherTypeIsInOtherHandsAndLeftAlone() {
        DistributedLock lock = factory.getLock("tx");
        lock.lock();
        DistributedLock renewed = factory.getLock("renewed", Fixture.lease(Duration.ofMinutes(1)));
        renewed.lock();
        for (String name : List.of("tx", "renewed")) {
            redis.server.command("DEL", Fixture.key(name));
            redis.server.command("RPUSH", Fixture.key(name), "squatter");
        }
        assertTaken(lock::unlock);
        assertTaken(() -> Fixture.renewByHand(renewed.lease().orElseThrow()));
        assertThat(redis.server.command("LLEN", Fixture.key("tx"))).isEqualTo(1L);
        assertThat(redis.server.command("LLEN", Fixture.key("renewed"))).isEqualTo(1L);
    }

    private static void assertTaken(Runnable step) {
        assertThatThrownBy(step::run)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
    }

    @Test
    void aReleaseWakesAWaiterThatUsesScripts() throws Exception {
        DistributedLock lock = factory.getLock("tx");
        lock.lock();
        DistributedLock scripted = redis.factory(
                        config -> config.option("wakeup", "pubsub").waitCeiling(Duration.ofHours(1)))
                .getLock("tx");
        FutureTask<Object> waiter = Fixture.start(() -> {
            scripted.lock();
            scripted.unlock();
            return null;
        });
        redis.awaitWaiters("tx", 1);
        lock.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aUserWhoMayNotRunScriptsIsToldSo() {
        DistributedLockFactory scripted =
                redis.factory("redis://locker:s3cret@127.0.0.1:" + redis.server.port(), config -> config);
        assertThatThrownBy(() -> scripted.getLock("tx").lock())
                .isInstanceOfSatisfying(
                        LockBackendException.class,
                        e -> assertThat(e.reason()).isEqualTo(LockBackendException.Reason.REFUSED))
                .hasMessageContaining("NOPERM")
                .hasMessageNotContaining("s3cret");
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void twoThreadsTakeTurns() throws Exception {
        DistributedLockFactory other = asLocker(redis);
        int[] counter = {0};
        List<FutureTask<Object>> tasks = List.of(counting(factory, counter), counting(other, counter));
        for (FutureTask<Object> task : tasks) {
            task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(counter[0]).isEqualTo(200);
    }

    private static FutureTask<Object> counting(DistributedLockFactory factory, int[] counter) {
        return Fixture.start(() -> {
            DistributedLock lock = factory.getLock("counter");
            for (int i = 0; i < 100; i++) {
                lock.lock();
                try {
                    int seen = counter[0];
                    Thread.yield();
                    counter[0] = seen + 1;
                } finally {
                    lock.unlock();
                }
            }
            return null;
        });
    }
}
