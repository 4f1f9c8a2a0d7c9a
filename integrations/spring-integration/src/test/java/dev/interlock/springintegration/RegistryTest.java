// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import static dev.interlock.springintegration.RegistryFixture.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/** The promises that Spring Integration expects of a lock registry. */
class RegistryTest {
    private static RegistryFixture backend;
    private static DistributedLockFactory factory;
    private static DistributedLockFactory other;

    private final InterlockLockRegistry registry = new InterlockLockRegistry(factory, "orders");

    @BeforeAll
    static void start() {
        backend = new RegistryFixture();
        factory = backend.factory();
        other = backend.factory();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private static boolean isFreeForOthers(String name) {
        dev.interlock.DistributedLock lock = other.getLock(name);
        if (!lock.tryLock()) {
            return false;
        }
        lock.unlock();
        return true;
    }

    /** Makes a lock lost, and waits until the loss is noticed, without telling the thread that held it. */
    private static void lose(String name) throws Exception {
        Lease lease = factory.getLock(name).lease().orElseThrow();
        backend.forget(name);
        elsewhere(() -> {
            assertThatThrownBy(() -> lease.ensureValid(lease.remaining().plusMillis(1)))
                    .isInstanceOf(LeaseLostException.class);
            return null;
        });
    }

    @Test
    void theLockOfAKeyIsTheFactorysLockOfTheRegistrysKeyAndTheKey() {
        DistributedLock lock = registry.obtain("names");
        lock.lock();
        try {
            assertThat(factory.getLock("orders:names").isHeldByCurrentThread()).isTrue();
            assertThat(isFreeForOthers("orders:names")).isFalse();
            assertThat(isFreeForOthers("names")).isTrue();
        } finally {
            lock.unlock();
        }
        assertThat(isFreeForOthers("orders:names")).isTrue();
    }

    @Test
    void registriesOfOneKeyAndTwoFactoriesExcludeEachOther() throws Exception {
        InterlockLockRegistry theirs = new InterlockLockRegistry(other, "orders");
        DistributedLock lock = registry.obtain("shared");
        lock.lockInterruptibly();
        try {
            assertThat(theirs.obtain("shared").tryLock()).isFalse();
            assertThat(theirs.obtain("shared").tryLock(1, TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(theirs.obtain("shared").tryLock(Duration.ofMillis(1), Duration.ofMinutes(1)))
                    .isFalse();
            assertThat(new InterlockLockRegistry(other, "invoices")
                            .obtain("shared")
                            .tryLock())
                    .isTrue();
        } finally {
            lock.unlock();
        }
        assertThat(theirs.obtain("shared").tryLock()).isTrue();
        theirs.obtain("shared").unlock();
    }

    @Test
    void aKeyThatIsNoStringIsRefused() {
        assertThatThrownBy(() -> registry.obtain(42))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
    }

    @Test
    void aThreadThatDoesNotHoldTheLockCannotUnlockIt() throws Exception {
        DistributedLock lock = registry.obtain("foreign");
        lock.lock();
        elsewhere(() -> {
            assertThatThrownBy(lock::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
            return null;
        });
        assertThat(isFreeForOthers("orders:foreign")).isFalse();
        lock.unlock();
    }

    @Test
    void unlockSaysThatTheLockWasLost() throws Exception {
        DistributedLock lock = registry.obtain("lost");
        lock.lock();
        lose("orders:lost");
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasMessageContaining("orders:lost")
                .hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aThreadThatLostTheLockIsToldAtItsNextAcquisitionAndNotGivenItAfresh() throws Exception {
        DistributedLock lock = registry.obtain("untold");
        assertThat(lock.tryLock()).isTrue();
        lose("orders:untold");
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS))
                .isInstanceOf(CannotAcquireLockException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThat(backend.isTaken("orders:untold")).isFalse();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aReEntryWhoseLeaseCannotBeLengthenedIsUndoneAndSaysWhy() throws Exception {
        DistributedLock lock = registry.obtain("re-entered");
        lock.lock();
        backend.forget("orders:re-entered");
        assertThatThrownBy(() -> lock.lock(Duration.ofMinutes(5)))
                .isInstanceOf(CannotAcquireLockException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock)
                .isExactlyInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("does not hold");
    }

    @Test
    void aServerThatIsNotThereIsToldAsALockThatCannotBeAcquired() {
        RegistryFixture gone = new RegistryFixture();
        DistributedLock lock = new InterlockLockRegistry(gone.factory(), "orders").obtain("absent");
        gone.server.stop();
        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(CannotAcquireLockException.class)
                .hasMessageContaining("orders:absent")
                .hasCauseInstanceOf(LockBackendException.class);
        gone.close();
    }

    @Test
    void aLockHasTheLifeThatACallAsksFor() throws Exception {
        DistributedLock lock = registry.obtain("timed");
        lock.lock(Duration.ofMinutes(5));
        assertThat(backend.leftMillis("orders:timed")).isGreaterThan(60_000);
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(5))).isTrue();
        assertThat(backend.leftMillis("orders:timed")).isGreaterThan(60_000);
        lock.unlock();
        lock.lock();
        assertThat(backend.leftMillis("orders:timed")).isLessThanOrEqualTo(30_000);
        lock.lock(Duration.ofMinutes(5));
        assertThat(backend.leftMillis("orders:timed"))
                .as("entered again for longer")
                .isGreaterThan(60_000);
        lock.unlock();
        lock.unlock();
        assertThat(isFreeForOthers("orders:timed")).isTrue();
    }

    @Test
    void renewalLengthensTheLeaseOfTheCurrentThread() {
        DistributedLock lock = registry.obtain("renewed");
        lock.lock();
        backend.server.command("PEXPIRE", RegistryFixture.key("orders:renewed"), "20000");
        registry.renewLock("renewed");
        assertThat(backend.leftMillis("orders:renewed")).isGreaterThan(20_000);
        registry.renewLock("renewed", Duration.ofMinutes(5));
        assertThat(backend.leftMillis("orders:renewed")).isGreaterThan(60_000);
        lock.unlock();
    }

    @Test
    void whatIsNotHeldOrWasLostCannotBeRenewed() throws Exception {
        assertThatThrownBy(() -> registry.renewLock("free"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("orders:free");
        DistributedLock lock = registry.obtain("gone");
        lock.lock();
        elsewhere(() -> {
            assertThatThrownBy(() -> registry.renewLock("gone")).isInstanceOf(IllegalStateException.class);
            return null;
        });
        backend.forget("orders:gone");
        assertThatThrownBy(() -> registry.renewLock("gone", Duration.ofMinutes(5)))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    @Tag("deep")
    void withoutRenewalReEntryKeepsTheLock() throws Exception {
        DistributedLock lock = new InterlockLockRegistry(
                        factory,
                        "orders",
                        LockOptions.builder()
                                .lease(Duration.ofSeconds(20))
                                .renewal(false)
                                .build())
                .obtain("beaten");
        lock.lock();
        Lease lease = factory.getLock("orders:beaten").lease().orElseThrow();
        Duration half = lease.remaining().dividedBy(2);
        await().atMost(RegistryFixture.PATIENCE).until(() -> lease.remaining().compareTo(half) < 0);
        long before = backend.leftMillis("orders:beaten");
        assertThat(lock.tryLock()).isTrue();
        assertThat(backend.leftMillis("orders:beaten")).isGreaterThan(before);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void aTaskIsExecutedWithinTheLock() throws Exception {
        boolean[] free = {true};
        registry.executeLocked("task", () -> free[0] = isFreeForOthers("orders:task"));
        assertThat(free[0]).isFalse();
        other.getLock("orders:task").lock();
        assertThatThrownBy(() -> registry.executeLocked("task", Duration.ofMillis(1), () -> {}))
                .isInstanceOf(TimeoutException.class);
        other.getLock("orders:task").unlock();
    }

    @Test
    void anInterruptEndsTheWaitAndIsNoFailureOfTheLock() throws Exception {
        other.getLock("orders:interrupted").lock();
        FutureTask<Throwable> waiting = RegistryFixture.start(() -> {
            Thread.currentThread().interrupt();
            try {
                registry.obtain("interrupted").lockInterruptibly();
                return null;
            } catch (InterruptedException e) {
                return e;
            }
        });
        assertThat(waiting.get(RegistryFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(InterruptedException.class);
        other.getLock("orders:interrupted").unlock();
    }

    @Test
    void conditionsAreThoseOfTheLock() throws InterruptedException {
        DistributedLock lock = registry.obtain("condition");
        lock.lock();
        assertThat(lock.newCondition().await(1, TimeUnit.MILLISECONDS)).isFalse();
        lock.unlock();
    }
}
