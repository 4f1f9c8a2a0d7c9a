// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The holder of a lock, its count of holds, and the threads that may give the lock up. */
class OwnershipTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();

    @Test
    void aFreeLockIsTakenWithOneRequestAndFreedWithOne() {
        ann.does(one.lock()::lock).value();
        assertThat(server.isFree(NAME)).isFalse();
        assertThat(server.ttl(NAME)).isEqualTo(LEASE);
        ann.does(one.lock()::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(one.protocol().allCalls()).isEqualTo(2);
        assertThat(one.protocol().watches()).isZero();
    }

    @Test
    void oneFactoryExcludesAnother() {
        ann.does(one.lock()::lock).value();
        assertThat(bob.asks(two.lock()::tryLock).value()).isFalse();
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(100));
        assertThat(waiting.isDone()).isFalse();
        ann.does(one.lock()::unlock).value();
        assertThat(waiting.isDone()).isTrue();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void waitersOfOneFactoryAreServedInOrderOfArrival() {
        Jvm jvm = jvm(config -> config.localHandoffs(1));
        List<String> order = new ArrayList<>();
        ann.does(jvm.lock()::lock).value();
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String name = "waiter " + i;
            Person person = env.person(name);
            people.add(person);
            person.does(() -> {
                jvm.lock().lock();
                order.add(name);
            });
        }
        assertThat(jvm.protocol().calls(Verb.ATTEMPT))
                .as("only the holder asked")
                .isOne();
        ann.does(jvm.lock()::unlock).value();
        for (int i = 0; i < 6; i++) {
            env.advance(seconds(1));
            assertThat(order).hasSize(i + 1).last().isEqualTo("waiter " + i);
            people.get(i).does(jvm.lock()::unlock).value();
        }
    }

    @Test
    void onlyOneThreadOfAFactoryAsksTheBackendForAName() {
        server.steal(NAME, seconds(1000));
        one.protocol().listens = false;
        Call<Void> first = ann.does(one.lock()::lock);
        env.advance(seconds(10));
        int alone = one.protocol().calls(Verb.ATTEMPT);
        Call<Void> second = bob.does(one.lock()::lock);
        Call<Void> third = cleo.does(one.lock()::lock);
        env.advance(seconds(10));
        assertThat(one.protocol().calls(Verb.ATTEMPT) - alone).isBetween(8, 14);
        server.delete(NAME);
        env.advance(seconds(2));
        assertThat(List.of(first.isDone(), second.isDone(), third.isDone())).containsExactly(true, false, false);
        ann.does(one.lock()::unlock).value();
        bob.does(one.lock()::unlock).value();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void locksOfDifferentNamesAreIndependentAndMayBeFreedInAnyOrder() {
        DistributedLock a = one.engine().getLock("a");
        DistributedLock b = one.engine().getLock("b");
        ann.does(() -> {
                    a.lock();
                    b.lock();
                    a.unlock();
                })
                .value();
        assertThat(bob.asks(a::tryLock).value()).isTrue();
        assertThat(cleo.asks(b::tryLock).value()).isFalse();
        bob.does(a::unlock).value();
        ann.does(b::unlock).value();
    }

    @Test
    void aHolderLocksAgainWithoutAnyRequestAndMustUnlockAsOften() {
        DistributedLock lock = one.lock();
        ann.does(() -> {
                    lock.lock();
                    lock.lockInterruptibly();
                    assertThat(lock.tryLock()).isTrue();
                    assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
                    assertThat(lock.getHoldCount()).isEqualTo(4);
                    assertThat(one.protocol().allCalls()).isOne();
                    for (int left = 3; left >= 1; left--) {
                        lock.unlock();
                        assertThat(lock.getHoldCount()).isEqualTo(left);
                        assertThat(lock.isHeldByCurrentThread()).isTrue();
                    }
                })
                .value();
        assertThat(bob.asks(lock::tryLock).value()).isFalse();
        ann.does(lock::unlock).value();
        assertThat(ann.asks(lock::getHoldCount).value()).isZero();
        assertThat(one.protocol().allCalls()).isEqualTo(2);
    }

    @Test
    void aHolderCanLockAgainWhileOthersWait() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(one.lock()::lock);
        assertThat(ann.asks(one.lock()::tryLock).value()).isTrue();
        ann.does(one.lock()::unlock).value();
        assertThat(waiting.isDone()).isFalse();
        ann.does(one.lock()::unlock).value();
        waiting.value();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void allLockObjectsOfANameAreTheSameLockWhateverTheirOptions() {
        DistributedLock other = one.lock(lease(seconds(5)));
        ann.does(one.lock()::lock).value();
        assertThat(ann.asks(other::isHeldByCurrentThread).value()).isTrue();
        ann.does(other::lock).value();
        assertThat(ann.asks(one.lock()::getHoldCount).value()).isEqualTo(2);
        assertThat(server.ttl(NAME)).isEqualTo(LEASE);
        ann.does(other::unlock).value();
        ann.does(other::unlock).value();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void theNumberOfHoldsCannotOverflow() {
        ann.does(() -> {
                    one.lock().lock();
                    AbstractHold hold = ((LeaseView) one.lock().lease().orElseThrow()).hold;
                    hold.count = Integer.MAX_VALUE;
                    assertThatThrownBy(one.lock()::lock).isExactlyInstanceOf(Error.class);
                    assertThatThrownBy(one.lock()::tryLock).isExactlyInstanceOf(Error.class);
                    assertThat(one.lock().getHoldCount()).isEqualTo(Integer.MAX_VALUE);
                    hold.count = 1;
                    one.lock().unlock();
                })
                .value();
    }

    @Test
    void whoeverNeverHeldTheLockCannotUnlockIt() {
        assertThat(ann.does(one.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        ann.does(one.lock()::lock).value();
        assertThat(bob.does(one.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        assertThat(ann.does(two.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        assertThat(server.isFree(NAME)).isFalse();
        assertThat(ann.asks(two.lock()::tryLock).value()).isFalse();
        ann.does(one.lock()::unlock).value();
        assertThat(ann.does(one.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void theQueriesAnswerForTheCurrentThreadWithoutAnyRequest() {
        DistributedLock lock = one.lock();
        assertThat(ann.asks(lock::lease).value()).isEmpty();
        ann.does(lock::lock).value();
        assertThat(ann.asks(lock::lease).value()).hasValueSatisfying(lease -> {
            assertThat(lease.lockName()).isEqualTo(NAME);
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isEqualTo(LEASE);
            assertThat(lease.fencingToken()).isPresent();
        });
        assertThat(bob.asks(lock::lease).value()).isEmpty();
        assertThat(bob.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(bob.asks(lock::getHoldCount).value()).isZero();
        assertThat(ann.asks(lock::toString).value()).contains(NAME).contains("held 1 ");
        assertThat(bob.asks(lock::toString).value()).contains(NAME).doesNotContain("held");
        assertThat(one.protocol().allCalls()).isOne();
        ann.does(lock::unlock).value();
    }

    @Test
    void aHandleBelongsToNobodyAndAnyThreadMayCloseIt() {
        DistributedLock lock = one.lock();
        LockHandle lease = ann.asks(lock::acquire).value();
        assertThat(ann.asks(lock::isHeldByCurrentThread).value()).isFalse();
        assertThat(ann.asks(lock::lease).value()).isEmpty();
        assertThat(ann.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        assertThat(ann.asks(lock::tryLock).value()).isFalse();
        assertThat(ann.asks(() -> lock.tryAcquire(Duration.ZERO)).value()).isEmpty();
        bob.does(lease::close).value();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    void closingAHandleTwiceHasNoEffectEvenIfSomebodyElseHoldsTheLockByThen() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        ann.does(lease::close).value();
        bob.does(one.lock()::lock).value();
        ann.does(lease::close).value();
        assertThat(bob.asks(one.lock()::isHeldByCurrentThread).value()).isTrue();
        assertThat(server.isFree(NAME)).isFalse();
        bob.does(one.lock()::unlock).value();
    }

    @Test
    void theLeaseOfAThreadEndsWithItsLastHold() {
        DistributedLock lock = one.lock();
        ann.does(() -> {
                    lock.lock();
                    lock.lock();
                })
                .value();
        Lease lease = ann.asks(lock::lease).value().orElseThrow();
        assertThat(lease).isNotInstanceOf(AutoCloseable.class);
        ann.does(lock::unlock).value();
        assertThat(lease.isValid()).isTrue();
        ann.does(lock::unlock).value();
        assertThat(lease.isValid()).isFalse();
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void theLeaseOfAnEarlierHoldIsNotThatOfTheNext() {
        DistributedLock lock = one.lock();
        ann.does(lock::lock).value();
        Lease stale = ann.asks(lock::lease).value().orElseThrow();
        ann.does(lock::unlock).value();
        ann.does(lock::lock).value();
        assertThat(stale.isValid()).isFalse();
        assertThat(ann.asks(lock::lease).value().orElseThrow().isValid()).isTrue();
        ann.does(lock::unlock).value();
    }

    @Test
    void theLostLeaseOfAnEarlierHoldStaysLost() {
        DistributedLock lock = one.lock();
        ann.does(lock::lock).value();
        Lease stale = ann.asks(lock::lease).value().orElseThrow();
        server.delete(NAME);
        env.advance(seconds(11));
        assertThat(ann.does(lock::lock).failure()).isInstanceOf(LeaseLostException.class);
        ann.does(lock::lock).value();
        assertThat(ann.does(() -> stale.ensureValid(seconds(0))).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(ann.asks(lock::getHoldCount).value()).isOne();
        ann.does(lock::unlock).value();
    }

    @Test
    void aThreadThatHoldsTheLockCannotAskForAHandleAndWaitForItself() {
        ann.does(one.lock()::lock).value();
        assertThat(ann.asks(one.lock()::acquire).failure())
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining(NAME);
        assertThat(ann.asks(() -> one.lock().tryAcquire(seconds(1))).failure())
                .isExactlyInstanceOf(IllegalStateException.class);
        assertThat(ann.asks(one.lock()::getHoldCount).value()).isOne();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void handlesAndThreadsQueueBehindEachOther() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        Call<Void> thread = bob.does(one.lock()::lock);
        Call<LockHandle> handle = cleo.asks(one.lock()::acquire);
        ann.does(lease::close).value();
        thread.value();
        assertThat(handle.isDone()).isFalse();
        bob.does(one.lock()::unlock).value();
        handle.value().close();
    }

    @Test
    void fencingTokensGrowFromHoldToHoldAndStayThroughReentryAndRenewal() {
        long last = 0;
        for (int round = 0; round < 20; round++) {
            DistributedLock lock = round % 2 == 0 ? one.lock() : two.lock();
            ann.does(lock::lock).value();
            long fence = fence(lock);
            assertThat(fence).isGreaterThan(last);
            ann.does(lock::lock).value();
            env.advance(seconds(15));
            assertThat(fence(lock)).isEqualTo(fence);
            ann.does(lock::unlock).value();
            ann.does(lock::unlock).value();
            last = fence;
        }
    }

    private long fence(DistributedLock lock) {
        return ann.asks(lock::lease)
                .value()
                .map(Lease::fencingToken)
                .orElseThrow()
                .orElseThrow();
    }

    @Test
    void conditionsAreNotSupportedWhetherTheLockIsHeldOrNot() {
        assertThatThrownBy(one.lock()::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("CONDITIONS, such as set-nx-px")
                .hasMessageContaining("docs/conditions.md");
        ann.does(one.lock()::lock).value();
        assertThat(ann.asks(one.lock()::newCondition).failure()).isInstanceOf(UnsupportedOperationException.class);
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aMissingArgumentIsRefusedBeforeAnythingHappens() {
        assertThat(ann.asks(() -> one.lock().tryLock(1, null)).failure()).isInstanceOf(NullPointerException.class);
        assertThat(ann.asks(() -> one.lock().tryAcquire(null)).failure()).isInstanceOf(NullPointerException.class);
        assertThat(ann.asks(() -> one.engine().getLock((String) null)).failure())
                .isInstanceOf(NullPointerException.class);
        assertThat(ann.asks(() -> one.engine().getLock(NAME, null)).failure()).isInstanceOf(NullPointerException.class);
        assertThat(one.protocol().allCalls()).isZero();
    }

    @Test
    void noTextShowsTheToken() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        String texts = lease + " " + one.lock() + " " + one.engine() + " "
                + one.protocol().attempted();
        assertThat(texts).contains(NAME).contains("30S").contains("memory").doesNotContain("secret#");
        bob.does(lease::close).value();
        assertThat(lease.toString()).contains("RELEASED").doesNotContain("secret#");
    }

    @Test
    void theProtocolIsToldHowOftenAThreadHoldsTheLock() {
        DistributedLock lock = one.lock();
        ann.does(() -> {
                    lock.lock();
                    lock.lock();
                    lock.tryLock();
                    lock.unlock();
                })
                .value();
        assertThat(one.protocol().holds()).containsExactly("ann 1", "ann 2", "ann 3", "ann 2");
        Call<Void> waiting = bob.does(lock::lock);
        ann.does(() -> {
                    Thread.currentThread().interrupt();
                    lock.unlock();
                    lock.unlock();
                })
                .value();
        assertThat(waiting.isDone()).isTrue();
        assertThat(one.protocol().holds().subList(4, 6)).containsExactly("ann 1", "bob 1");
        bob.does(lock::unlock).value();
        assertThat(one.protocol().breaches()).isEmpty();
    }

    @Test
    void theProtocolIsToldNothingOfHandles() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        ann.does(lease::close).value();
        assertThat(one.protocol().holds()).isEmpty();
    }

    /** A thread that is equal to all others of its class. */
    private static final class EqualThread extends Thread {
        EqualThread(Runnable task, String name) {
            super(task, name);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof EqualThread;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void threadsThatAreEqualAreDifferentOwnersAndLoseLocksOneByOne() {
        Person first = env.person("first", EqualThread::new);
        Person second = env.person("second", EqualThread::new);
        first.does(one.lock()::lock).value();
        assertThat(second.asks(one.lock()::isHeldByCurrentThread).value()).isFalse();
        assertThat(second.asks(one.lock()::tryLock).value()).isFalse();
        assertThat(second.does(one.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(second.does(one.lock()::unlock).failure())
                .as("it has lost nothing")
                .isExactlyInstanceOf(IllegalMonitorStateException.class);
        second.does(one.lock()::lock).value();
        second.does(one.lock()::unlock).value();
        assertThat(first.does(one.lock()::lock).failure())
                .as("what the other one has acquired afresh does not make it forget its loss")
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whoeverComesBackAfterAWaitHasAllItsHoldsBeforeAnybodyHearsOfOne() {
        Jvm one = jvm();
        ann.does(() -> one.engine().core().acquisitions().comeBack(NAME, lease(LEASE), 3, null))
                .value();
        assertThat(one.protocol().holds()).containsExactly("ann 3");
        ann.does(one.lock()::unlock).value();
        ann.does(one.lock()::unlock).value();
        ann.does(one.lock()::unlock).value();
        assertThat(one.protocol().holds()).containsExactly("ann 3", "ann 2", "ann 1");
    }
}
