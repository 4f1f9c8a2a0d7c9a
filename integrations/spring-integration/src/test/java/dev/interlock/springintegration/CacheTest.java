// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import static dev.interlock.springintegration.RegistryFixture.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLockFactory;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/** The lock objects that a registry keeps, and those that it drops. */
class CacheTest {
    private static final int CAPACITY = 3;

    private static RegistryFixture backend;
    private static DistributedLockFactory factory;

    private final InterlockLockRegistry registry = registry();

    @BeforeAll
    static void start() {
        backend = new RegistryFixture();
        factory = backend.factory();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private static InterlockLockRegistry registry() {
        InterlockLockRegistry registry = new InterlockLockRegistry(factory, "cache");
        registry.setCacheCapacity(CAPACITY);
        return registry;
    }

    private void obtainOthers() {
        for (int i = 0; i < 50; i++) {
            registry.obtain("other-" + i);
        }
    }

    @Test
    void aKeyHasOneObjectThatGivesWayToOthersWhenNobodyUsesIt() {
        DistributedLock lock = registry.obtain("unused");
        assertThat(registry.obtain("unused")).isSameAs(lock);
        obtainOthers();
        assertThat(registry.obtain("unused")).isNotSameAs(lock);
    }

    @Test
    void theObjectsThatWereUsedLastAreKept() {
        DistributedLock lock = registry.obtain("used");
        for (int i = 0; i < 50; i++) {
            registry.obtain("other-" + i);
            assertThat(registry.obtain("used")).isSameAs(lock);
        }
    }

    @Test
    void theObjectOfALockThatIsHeldIsKept() {
        DistributedLock lock = registry.obtain("held");
        lock.lock();
        obtainOthers();
        registry.expireUnusedOlderThan(0);
        assertThat(registry.obtain("held")).isSameAs(lock);
        lock.unlock();
        registry.expireUnusedOlderThan(0);
        assertThat(registry.obtain("held")).isNotSameAs(lock);
    }

    @Test
    void locksThatAreHeldDoNotFillTheCache() {
        for (int i = 0; i < 2 * CAPACITY; i++) {
            registry.obtain("held-" + i).lock();
        }
        DistributedLock lock = registry.obtain("one-more");
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        for (int i = 0; i < 2 * CAPACITY; i++) {
            registry.obtain("held-" + i).unlock();
        }
    }

    @Test
    void theObjectOfALockThatIsWaitedForIsKept() throws Exception {
        DistributedLockFactory other = backend.factory();
        other.getLock("cache:awaited").lock();
        DistributedLock lock = registry.obtain("awaited");
        FutureTask<Boolean> waiting = RegistryFixture.start(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        await().atMost(RegistryFixture.PATIENCE).until(((RegistryLock) lock)::isInUse);
        obtainOthers();
        registry.expireUnusedOlderThan(0);
        assertThat(registry.obtain("awaited")).isSameAs(lock);
        other.getLock("cache:awaited").unlock();
        assertThat(waiting.get(RegistryFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void anObjectIsKeptUntilItIsOldEnough() {
        DistributedLock lock = registry.obtain("young");
        registry.expireUnusedOlderThan(RegistryFixture.PATIENCE.toMillis() * 60);
        assertThat(registry.obtain("young")).isSameAs(lock);
    }

    @Test
    void anObjectThatWasDroppedStillExcludes() throws Exception {
        DistributedLock dropped = registry.obtain("dropped");
        obtainOthers();
        DistributedLock fresh = registry.obtain("dropped");
        assertThat(fresh).isNotSameAs(dropped);
        fresh.lock();
        assertThat((boolean) elsewhere(() -> dropped.tryLock())).isFalse();
        assertThat(dropped.tryLock()).as("entered again").isTrue();
        dropped.unlock();
        dropped.unlock();
        assertThat(elsewhere(() -> {
                    boolean acquired = fresh.tryLock();
                    fresh.unlock();
                    return acquired;
                }))
                .isTrue();
    }

    @Test
    void aCacheHasRoomForOneLockAtLeast() {
        assertThatThrownBy(() -> registry.setCacheCapacity(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
