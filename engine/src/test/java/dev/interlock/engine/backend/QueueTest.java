// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockOptions;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.InMemoryServer;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims that keep a place with the backend, which grants them the lock. */
class QueueTest extends EngineTest {
    private final Jvm one = queueing();
    private final Jvm two = queueing();
    private final Jvm three = queueing();

    private Jvm queueing() {
        Jvm jvm = jvm();
        jvm.protocol().queues = true;
        jvm.protocol().confirmsListening = false;
        return jvm;
    }

    @Test
    void whoeverIsGrantedTheLockAsksOnceInAll() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        assertThat(server.places()).isOne();
        ann.does(one.lock()::unlock).value();
        waiting.value();
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isOne();
        bob.does(two.lock()::unlock).value();
        assertThat(two.protocol().allCalls()).isEqualTo(2);
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aWaiterAsksAgainWithTheClaimThatHasThePlace() {
        server.steal(NAME, seconds(60));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(20));
        assertThat(two.protocol().attempted()).hasSizeGreaterThan(4).doesNotContain((Claim) null);
        assertThat(two.protocol().attempted().stream().distinct()).hasSize(1);
        assertThat(server.places()).isOne();
        env.advance(seconds(60));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void clientsAreServedInOrderOfArrival() {
        ann.does(one.lock()::lock).value();
        Call<Void> second = bob.does(two.lock()::lock);
        Call<Void> third = cleo.does(three.lock()::lock);
        Call<Void> last = ann.does(() -> {
            one.lock().unlock();
            one.lock().lock();
        });
        second.value();
        assertThat(third.isDone() || last.isDone()).isFalse();
        bob.does(two.lock()::unlock).value();
        third.value();
        assertThat(last.isDone()).isFalse();
        cleo.does(three.lock()::unlock).value();
        last.value();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aLockThatIsFreeByTheEndOfItsLeaseGoesToTheFirst() {
        server.steal(NAME, seconds(10));
        Call<Void> first = bob.does(two.lock()::lock);
        Call<Void> second = cleo.does(three.lock()::lock);
        env.advance(millis(9_999));
        assertThat(first.isDone()).isFalse();
        env.advance(millis(1));
        assertThat(ann.asks(one.lock()::tryLock).value())
                .as("to ask once is not to overtake")
                .isFalse();
        env.advance(millis(100));
        first.value();
        assertThat(second.isDone()).isFalse();
        bob.does(two.lock()::unlock).value();
        second.value();
        cleo.does(three.lock()::unlock).value();
    }

    @Test
    void tryLockTakesNoPlace() {
        ann.does(one.lock()::lock).value();
        assertThat(bob.asks(two.lock()::tryLock).value()).isFalse();
        assertThat(server.places()).isZero();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void whoeverGivesUpGivesUpItsPlace() {
        ann.does(one.lock()::lock).value();
        Call<Boolean> timed = bob.asks(() -> two.lock().tryLock(3, TimeUnit.SECONDS));
        Call<Void> interrupted = cleo.does(three.lock()::lockInterruptibly);
        assertThat(server.places()).isEqualTo(2);
        cleo.interrupt();
        assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
        assertThat(server.places()).isOne();
        env.advance(seconds(3));
        assertThat(timed.value()).isFalse();
        assertThat(server.places()).isZero();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aGrantThatCrossesWithGivingUpIsPassedOn() {
        ann.does(one.lock()::lock).value();
        Call<Boolean> timed = bob.asks(() -> two.lock().tryLock(600, TimeUnit.MILLISECONDS));
        Call<Void> next = cleo.does(three.lock()::lock);
        server.losesMessages = true;
        ann.does(one.lock()::unlock).value();
        server.losesMessages = false;
        assertThat(server.isFree(NAME)).as("granted to bob, who does not know").isFalse();
        env.advance(millis(600));
        assertThat(timed.value()).isFalse();
        next.value();
        cleo.does(three.lock()::unlock).value();
    }

    @Test
    void aPlaceThatCannotBeGivenUpNowIsGivenUpLater() {
        ann.does(one.lock()::lock).value();
        two.protocol().next(Verb.RELEASE, RequestFault.lostRequest(), RequestFault.exception());
        Call<Boolean> timed = bob.asks(() -> two.lock().tryLock(600, TimeUnit.MILLISECONDS));
        env.advance(millis(600));
        assertThat(timed.value()).isFalse();
        assertThat(server.places()).isOne();
        env.advance(seconds(2));
        assertThat(server.places()).isZero();
        ann.does(one.lock()::unlock).value();
    }

    @Test
    void aFailureCostsThePlaceAndLeavesNoneBehind() {
        server.steal(NAME, seconds(60));
        Call<Void> waiting = bob.does(two.lock()::lock);
        two.protocol().next(Verb.ATTEMPT, RequestFault.unreachable(), RequestFault.lostReply());
        env.advance(seconds(5));
        assertThat(two.protocol().attempted().stream().distinct()).hasSize(3);
        assertThat(server.places()).isOne();
        env.advance(seconds(60));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aLostMessageCostsACeiling() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        server.losesMessages = true;
        ann.does(one.lock()::unlock).value();
        assertThat(waiting.isDone()).isFalse();
        env.advance(seconds(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterThatIsToldOfItsTurnAsksRarely() {
        server.steal(NAME, Duration.ofDays(1));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(1));
        assertThat(two.protocol().calls(Verb.ATTEMPT))
                .as("a message that is lost at first is missed soon")
                .isEqualTo(2);
        env.advance(seconds(119));
        assertThat(two.protocol().calls(Verb.ATTEMPT))
                .as("after 1, 2 and 4 s, and then each five, or a little less: at most 0.3 a second")
                .isBetween(25, 36);
        server.delete(NAME);
        env.advance(seconds(5));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterWithALongLeaseAsksAgainAfterFiveCeilingsAtTheLatest() {
        server.steal(NAME, Duration.ofDays(1));
        Call<Void> waiting = bob.does(two.lock(lease(Duration.ofHours(1)))::lock);
        env.advance(seconds(60));
        int asked = two.protocol().calls(Verb.ATTEMPT);
        for (int i = 1; i <= 5; i++) {
            env.advance(seconds(5));
            assertThat(two.protocol().calls(Verb.ATTEMPT)).isGreaterThanOrEqualTo(asked + i);
        }
        server.delete(NAME);
        env.advance(seconds(5));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void thoseWhoWaitForAHolderThatDiedDoNotAskAllAtOnce() {
        server.steal(NAME, seconds(10));
        List<Call<Void>> waiting =
                List.of(ann.does(one.lock()::lock), bob.does(two.lock()::lock), cleo.does(three.lock()::lock));
        env.advance(millis(9_999));
        int asked = attempts();
        env.advance(millis(2));
        assertThat(attempts()).isLessThan(asked + 3);
        env.advance(millis(100));
        waiting.get(0).value();
        ann.does(one.lock()::unlock).value();
        bob.does(two.lock()::unlock).value();
        cleo.does(three.lock()::unlock).value();
    }

    private int attempts() {
        return Stream.of(one, two, three)
                .mapToInt(jvm -> jvm.protocol().calls(Verb.ATTEMPT))
                .sum();
    }

    @Test
    void aShortGrantIsRenewedInTime() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        ann.does(one.lock()::unlock).value();
        waiting.value();
        assertThat(bob.asks(() -> two.lock().lease().orElseThrow().remaining()).value())
                .isLessThanOrEqualTo(InMemoryServer.HAND_OFF);
        env.advance(seconds(1));
        assertThat(bob.asks(() -> two.lock().lease().orElseThrow().remaining()).value())
                .isGreaterThan(seconds(29));
        env.advance(seconds(60));
        assertThat(two.protocol().calls(Verb.RENEW))
                .as("once at first, then each third of the lease")
                .isBetween(6, 8);
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void whoeverDoesNotRenewAsksForItsWholeLease() {
        DistributedLock fixed =
                two.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(fixed::lock);
        ann.does(one.lock()::unlock).value();
        waiting.value();
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isEqualTo(2);
        assertThat(bob.asks(() -> fixed.lease().orElseThrow().remaining()).value())
                .isGreaterThan(seconds(29));
        bob.does(fixed::unlock).value();
    }

    @Test
    void aShortGrantPassesFromThreadToThread() {
        Person dora = env.person("dora");
        dora.does(two.lock()::lock).value();
        Call<Void> first = ann.does(one.lock()::lock);
        Call<Void> second = bob.does(two.lock()::lock);
        Call<Void> third = cleo.does(two.lock()::lock);
        dora.does(two.lock()::unlock).value();
        first.value();
        int before = two.protocol().allCalls();
        ann.does(one.lock()::unlock).value();
        second.value();
        bob.does(two.lock()::unlock).value();
        third.value();
        assertThat(two.protocol().allCalls()).as("after the attempt").isEqualTo(before);
        env.advance(seconds(10));
        assertThat(cleo.asks(two.lock()::isHeldByCurrentThread).value()).isTrue();
        cleo.does(two.lock()::unlock).value();
    }

    @Test
    void aShortGrantDoesNotPassToWhoeverDoesNotRenew() {
        DistributedLock fixed =
                two.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        ann.does(one.lock()::lock).value();
        Call<Void> second = bob.does(two.lock()::lock);
        Call<Void> third = cleo.does(fixed::lock);
        ann.does(one.lock()::unlock).value();
        second.value();
        bob.does(two.lock()::unlock).value();
        third.value();
        assertThat(cleo.asks(() -> fixed.lease().orElseThrow().remaining()).value())
                .isGreaterThan(seconds(29));
        cleo.does(fixed::unlock).value();
    }

    @Test
    void theNextThreadHereDoesNotHoldBackForOthers() {
        Jvm eager = jvm(config -> config.localHandoffs(0));
        eager.protocol().queues = true;
        ann.does(eager.lock()::lock).value();
        Call<Void> second = bob.does(eager.lock()::lock);
        ann.does(eager.lock()::unlock).value();
        second.value();
        assertThat(env.elapsed()).isZero();
        bob.does(eager.lock()::unlock).value();
    }

    @Test
    void aGrantThatIsOverWhenItsThreadWakesIsNone() {
        List<Boolean> held = new ArrayList<>();
        ann.does(one.lock()::lock).value();
        Call<Void> second = bob.does(two.lock()::lock);
        Call<Void> third = cleo.does(three.lock()::lock);
        env.oversleep(bob, seconds(3));
        ann.does(one.lock()::unlock).value();
        env.advance(millis(2_600));
        third.value();
        env.advance(seconds(1));
        assertThat(second.isDone()).isFalse();
        held.add(cleo.asks(three.lock()::isHeldByCurrentThread).value());
        cleo.does(three.lock()::unlock).value();
        second.value();
        assertThat(held).containsExactly(true);
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aClosedFactoryGivesUpItsPlaces() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        cleo.does(two.engine()::close);
        assertThat(waiting.failure()).isInstanceOf(IllegalStateException.class);
        assertThat(server.places()).isZero();
        ann.does(one.lock()::unlock).value();
    }
}
