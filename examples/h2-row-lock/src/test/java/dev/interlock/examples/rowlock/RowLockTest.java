// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The main behaviour of the row lock. The whole contract is tested too, but takes a minute. */
class RowLockTest {
    private final DatabaseHarness harness = new DatabaseHarness();

    private DistributedLockFactory client() {
        return DistributedLocks.getInstance(harness.provider(), harness.config());
    }

    @Test
    void aHeldRowIsRefusedAndAReleasedOneGrantedWithALargerToken() {
        try (DistributedLockFactory ours = client();
                DistributedLockFactory theirs = client()) {
            DistributedLock lock = ours.getLock("a");
            DistributedLock same = theirs.getLock("a");
            lock.lock();
            long token = lock.lease().orElseThrow().fencingToken().orElseThrow();
            assertThat(same.tryLock()).isFalse();
            lock.unlock();
            assertThat(same.tryLock()).isTrue();
            assertThat(same.lease().orElseThrow().fencingToken().orElseThrow()).isGreaterThan(token);
            same.unlock();
        }
    }

    @Test
    void aRowWhoseLeaseHasEndedIsTakenOver() throws InterruptedException {
        // Longer than the first statement of a new database takes on a busy machine.
        LockOptions brief = LockOptions.builder()
                .lease(Duration.ofSeconds(3))
                .renewal(false)
                .build();
        try (DistributedLockFactory ours = client();
                DistributedLockFactory theirs = client()) {
            ours.getLock("a", brief).lock();
            assertThat(theirs.getLock("a").tryAcquire(Duration.ofSeconds(30))).isPresent();
        }
    }

    @Test
    void aMissingUrlIsAnError() {
        assertThatThrownBy(() -> DistributedLocks.getInstance(
                        harness.provider(), LockConfig.builder().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("url");
    }
}
