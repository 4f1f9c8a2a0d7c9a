// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a grant passes from thread to thread of one factory. */
class HandOffTest extends EngineTest {
    private long fence(Person person, DistributedLock lock) {
        return person.asks(lock::lease)
                .value()
                .map(Lease::fencingToken)
                .orElseThrow()
                .orElseThrow();
    }

    /**
     * Holds the lock until all others of the test wait, so that the claim of the next one reserves a token for each of
     * them.
     */
    private final Person dora = env.person("dora");

    @Test
    void aGrantPassesToTheNextHereWithoutAnyRequestAndWithALargerToken() {
        Jvm jvm = jvm();
        DistributedLock lock = jvm.lock();
        dora.does(lock::lock).value();
        Call<Void> first = ann.does(lock::lock);
        Call<Void> second = bob.does(lock::lock);
        Call<Void> third = cleo.does(lock::lock);
        dora.does(lock::unlock).value();
        first.value();
        long fence = fence(ann, lock);
        int before = jvm.protocol().allCalls();
        ann.does(lock::unlock).value();
        second.value();
        assertThat(fence(bob, lock)).isEqualTo(fence + 1);
        bob.does(lock::unlock).value();
        third.value();
        assertThat(fence(cleo, lock)).isEqualTo(fence + 2);
        assertThat(jvm.protocol().allCalls()).isEqualTo(before);
        cleo.does(lock::unlock).value();
        assertThat(jvm.protocol().allCalls()).isEqualTo(before + 1);
        assertThat(server.isFree(NAME)).isTrue();
    }

    @Test
    void aGrantIsNotHandedToAWaiterWhoseLeaseIsOfAnotherLength() {
        Jvm jvm = jvm();
        // A claim reserves tokens for those who wait behind it when it is made.
        cleo.does(jvm.lock()::lock).value();
        Call<Void> first = ann.does(jvm.lock()::lock);
        Call<Void> next = bob.does(jvm.lock(lease(seconds(60)))::lock);
        cleo.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        first.value();
        ann.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        next.value();
        assertThat(server.ttl(NAME)).isGreaterThan(seconds(59));
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aGrantWhoseRenewalWasNotAnsweredIsNotHandedOver() {
        Jvm jvm = jvm();
        // A claim reserves tokens for those who wait behind it when it is made.
        cleo.does(jvm.lock()::lock).value();
        Call<Void> first = ann.does(jvm.lock()::lock);
        Call<Void> next = bob.does(jvm.lock()::lock);
        cleo.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        first.value();
        jvm.protocol().next(Verb.RENEW, RequestFault.lostReply());
        env.advance(seconds(11));
        ann.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        next.value();
        assertThat(jvm.protocol().calls(Verb.ATTEMPT)).isEqualTo(3);
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aGrantOfWhichTheWallClockLeavesLittleIsNotHandedOver() {
        Jvm jvm = jvm();
        // A claim reserves tokens for those who wait behind it when it is made.
        cleo.does(jvm.lock()::lock).value();
        Call<Void> first = ann.does(jvm.lock()::lock);
        Call<Void> next = bob.does(jvm.lock()::lock);
        cleo.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        first.value();
        env.suspend(seconds(25));
        ann.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        next.value();
        assertThat(jvm.protocol().calls(Verb.ATTEMPT)).isEqualTo(3);
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aClaimReservesATokenForItselfAndForEachWhoWaitsBehindItAndNoMoreAreHandedOut() {
        Jvm jvm = jvm(config -> config.localHandoffs(2));
        DistributedLock lock = jvm.lock();
        List<Long> fences = new ArrayList<>();
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Person person = env.person("person " + i);
            people.add(person);
            person.does(lock::lock);
        }
        for (Person person : people) {
            env.advance(millis(50));
            fences.add(fence(person, lock));
            person.does(lock::unlock).value();
        }
        assertThat(fences).isSorted().doesNotHaveDuplicates();
        assertThat(jvm.protocol().attempted()).extracting(Claim::fences).containsExactly(1, 3, 3, 2);
    }

    @Test
    void aCellWhoseGrantsHadTooFewTokensReservesMoreForThoseWhoComeLater() {
        Jvm jvm = jvm();
        DistributedLock lock = jvm.lock();
        for (int i = 0; i < 40; i++) {
            Person holder = i % 2 == 0 ? ann : bob;
            Person next = i % 2 == 0 ? bob : ann;
            if (i == 0) {
                holder.does(lock::lock).value();
            }
            Call<Void> call = next.does(lock::lock);
            holder.does(lock::unlock).value();
            call.value();
        }
        assertThat(jvm.protocol().attempted())
                .extracting(Claim::fences)
                .startsWith(1, 2, 4, 8)
                .hasSizeLessThan(8);
        ann.does(lock::unlock).value();
    }

    @Test
    void withoutHandOffsEachHolderAsksTheBackend() {
        Jvm jvm = jvm(config -> config.localHandoffs(0));
        DistributedLock lock = jvm.lock();
        ann.does(lock::lock).value();
        Call<Void> second = bob.does(lock::lock);
        ann.does(lock::unlock).value();
        env.advance(millis(10));
        second.value();
        assertThat(jvm.protocol().calls(Verb.RELEASE)).isOne();
        assertThat(jvm.protocol().calls(Verb.ATTEMPT)).isGreaterThanOrEqualTo(2);
        bob.does(lock::unlock).value();
    }

    @Test
    void whoeverDoesNotRenewGetsItsWholeLeaseFromTheBackendAndNotWhatIsLeftOfAnother() {
        Jvm jvm = jvm();
        DistributedLock lock =
                jvm.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        dora.does(lock::lock).value();
        Call<Void> second = bob.does(lock::lock);
        Call<Void> third = cleo.does(lock::lock);
        env.advance(seconds(14));
        dora.does(lock::unlock).value();
        second.value();
        assertThat(bob.asks(() -> lock.lease().orElseThrow().remaining()).value())
                .isEqualTo(LEASE);
        env.advance(seconds(14));
        bob.does(lock::unlock).value();
        third.value();
        assertThat(cleo.asks(() -> lock.lease().orElseThrow().remaining()).value())
                .isEqualTo(LEASE);
        cleo.does(lock::unlock).value();
    }

    @Test
    void afterTheLastHandOffAWaiterOfAnotherFactoryHasItsTurn() {
        Jvm busy = jvm(config -> config.localHandoffs(3));
        Jvm other = jvm();
        List<String> order = new ArrayList<>();
        List<Call<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(env.person("busy " + i).does(() -> workRounds(busy, 20, order, "busy")));
        }
        calls.add(ann.does(() -> workRounds(other, 20, order, "other")));
        env.advance(seconds(60));
        calls.forEach(Call::value);
        int longest = 0;
        int run = 0;
        for (String who : order.subList(0, order.lastIndexOf("other"))) {
            run = who.equals("busy") ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        assertThat(order).hasSize(140);
        assertThat(longest).as("holders in a row while another factory waits").isLessThanOrEqualTo(12);
    }

    private void workRounds(Jvm jvm, int rounds, List<String> order, String who) {
        for (int i = 0; i < rounds; i++) {
            jvm.lock().lock();
            order.add(who);
            env.park(this, millis(3).toNanos());
            jvm.lock().unlock();
        }
    }

    @Test
    void whoeverGetsAGrantBringsItsOwnOptions() {
        Jvm jvm = jvm();
        DistributedLock unrenewed =
                jvm.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        dora.does(jvm.lock()::lock).value();
        Call<Void> second = ann.does(unrenewed::lock);
        Call<Void> third = bob.does(jvm.lock()::lock);
        dora.does(jvm.lock()::unlock).value();
        second.value();
        env.advance(seconds(12));
        assertThat(jvm.protocol().calls(Verb.RENEW)).as("ann does not renew").isZero();
        int attempts = jvm.protocol().calls(Verb.ATTEMPT);
        ann.does(unrenewed::unlock).value();
        third.value();
        assertThat(jvm.protocol().calls(Verb.ATTEMPT)).isEqualTo(attempts);
        env.advance(seconds(12));
        assertThat(jvm.protocol().calls(Verb.RENEW)).as("bob does").isOne();
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aGrantThatIsHandedOverGoesOnBeingRenewed() {
        Jvm jvm = jvm();
        ann.does(jvm.lock()::lock).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        env.advance(seconds(5));
        ann.does(jvm.lock()::unlock).value();
        second.value();
        env.advance(seconds(300));
        assertThat(bob.asks(jvm.lock()::isHeldByCurrentThread).value()).isTrue();
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aGrantThatItsHolderKeptForAsLongAsItMayIsRenewedForTheNext() {
        Jvm jvm = jvm();
        DistributedLock bounded =
                jvm.lock(LockOptions.builder().lease(LEASE).maxHold(LEASE).build());
        ann.does(bounded::lock).value();
        Call<Void> second = bob.does(bounded::lock);
        env.advance(seconds(12));
        ann.does(bounded::unlock).value();
        env.advance(millis(10));
        second.value();
        env.advance(seconds(29));
        assertThat(bob.asks(bounded::isHeldByCurrentThread).value())
                .as("held for its own time")
                .isTrue();
        bob.does(bounded::unlock).value();
    }

    @Test
    void aRenewalForTheLastHolderDoesNotBoundTheNext() {
        Jvm jvm = jvm();
        DistributedLock bounded =
                jvm.lock(LockOptions.builder().lease(LEASE).maxHold(LEASE).build());
        ann.does(bounded::lock).value();
        Call<Void> second = bob.does(bounded::lock);
        jvm.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(1)));
        env.advance(millis(10_500));
        ann.does(bounded::unlock).value();
        env.advance(seconds(1));
        second.value();
        env.advance(seconds(28));
        assertThat(bob.asks(bounded::isHeldByCurrentThread).value()).isTrue();
        bob.does(bounded::unlock).value();
    }

    @Test
    void aHolderNeverBelievesInMoreThanTheServerHasWhateverTheLeasesOfThoseBefore() {
        Jvm jvm = jvm();
        DistributedLock longer = jvm.lock(lease(seconds(60)));
        DistributedLock shorter = jvm.lock(lease(seconds(30)));
        ann.does(longer::lock).value();
        Call<Void> second = bob.does(shorter::lock);
        env.advance(seconds(1));
        ann.does(longer::unlock).value();
        env.advance(millis(10));
        second.value();
        for (int i = 0; i < 100; i++) {
            env.advance(millis(500));
            assertThat(bob.asks(() -> shorter.lease().orElseThrow().remaining()).value())
                    .isLessThanOrEqualTo(server.ttl(NAME));
        }
        bob.does(shorter::unlock).value();
    }

    @Test
    void aGrantIsNotHandedOverWhenTheWallClockDoubtsIt() {
        Jvm jvm = jvm();
        ann.does(jvm.lock()::lock).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        env.suspend(seconds(100));
        ann.does(jvm.lock()::unlock).value();
        assertThat(jvm.protocol().calls(Verb.RELEASE)).isOne();
        env.advance(millis(10));
        second.value();
        assertThat(bob.asks(() -> jvm.lock().lease().orElseThrow().isValid()).value())
                .isTrue();
        bob.does(jvm.lock()::unlock).value();
    }

    @Test
    void aWaiterThatWakesAfterItsGrantIsOverAsksForAnother() {
        Jvm jvm = jvm();
        DistributedLock lock =
                jvm.lock(LockOptions.builder().lease(LEASE).renewal(false).build());
        ann.does(lock::lock).value();
        Call<Void> second = bob.does(lock::lock);
        env.oversleep(bob, seconds(40));
        ann.does(lock::unlock).value();
        assertThat(second.isDone()).isFalse();
        env.advance(seconds(41));
        second.value();
        assertThat(bob.asks(lock::isHeldByCurrentThread).value()).isTrue();
        bob.does(lock::unlock).value();
        assertThat(bob.does(lock::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aGrantThatIsLostAfterAHandOffIsLostByItsNewHolderAlone() {
        Jvm jvm = jvm();
        List<LossCause> anns = new ArrayList<>();
        List<LossCause> bobs = new ArrayList<>();
        ann.does(jvm.lock()::lock).value();
        ann.does(() -> jvm.lock().lease().orElseThrow().onLoss(anns::add)).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        ann.does(jvm.lock()::unlock).value();
        second.value();
        bob.does(() -> jvm.lock().lease().orElseThrow().onLoss(bobs::add)).value();
        server.steal(NAME, seconds(15));
        env.advance(seconds(11));
        server.delete(NAME);
        assertThat(anns).isEmpty();
        assertThat(bobs).containsExactly(LossCause.TAKEN);
        assertThat(bob.does(jvm.lock()::unlock).failure()).hasMessageContaining("another holder");
        assertThat(ann.does(jvm.lock()::unlock).failure()).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void maxHoldIsKeptThoughTheLastHolderHadExtendedTheGrant() {
        Jvm jvm = jvm();
        DistributedLock bounded =
                jvm.lock(LockOptions.builder().lease(LEASE).maxHold(seconds(60)).build());
        dora.does(jvm.lock()::lock).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        Call<Void> third = cleo.does(bounded::lock);
        dora.does(jvm.lock()::unlock).value();
        second.value();
        bob.does(() -> jvm.lock().lease().orElseThrow().ensureValid(Duration.ofHours(1)))
                .value();
        bob.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        third.value();
        assertThat(cleo.asks(() -> bounded.lease().orElseThrow().remaining()).value())
                .isLessThanOrEqualTo(LEASE);
        env.advance(seconds(61));
        assertThat(cleo.asks(bounded::isHeldByCurrentThread).value()).isFalse();
    }

    @Test
    void aGrantThatTheBackendMayKeepForLongerThanTheNextOneAskedForIsNotHandedOver() {
        Jvm jvm = jvm();
        dora.does(jvm.lock()::lock).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        Call<Void> third = cleo.does(jvm.lock()::lock);
        dora.does(jvm.lock()::unlock).value();
        second.value();
        jvm.protocol().next(Verb.RENEW, RequestFault.lostReply());
        assertThat(bob.does(() -> jvm.lock().lease().orElseThrow().ensureValid(Duration.ofHours(1)))
                        .failure())
                .isInstanceOf(LockBackendException.class);
        env.advance(seconds(5));
        assertThat(bob.asks(() -> jvm.lock().lease().orElseThrow().remaining()).value())
                .as("renewed since")
                .isGreaterThan(seconds(25));
        bob.does(jvm.lock()::unlock).value();
        env.advance(millis(10));
        third.value();
        assertThat(server.ttl(NAME)).isLessThanOrEqualTo(LEASE);
        cleo.does(jvm.lock()::unlock).value();
    }

    @Test
    void aGrantIsHandedOverThoughARenewalOfItFailedBeforeItWasSent() {
        Jvm jvm = jvm();
        dora.does(jvm.lock()::lock).value();
        Call<Void> second = bob.does(jvm.lock()::lock);
        Call<Void> third = cleo.does(jvm.lock()::lock);
        dora.does(jvm.lock()::unlock).value();
        second.value();
        env.advance(seconds(1));
        env.failIn("renewNow");
        assertThat(bob.does(() -> jvm.lock().lease().orElseThrow().ensureValid(LEASE))
                        .failure())
                .isInstanceOf(OutOfMemoryError.class);
        env.advance(seconds(5));
        int attempts = jvm.protocol().calls(Verb.ATTEMPT);
        bob.does(jvm.lock()::unlock).value();
        third.value();
        assertThat(jvm.protocol().calls(Verb.ATTEMPT)).isEqualTo(attempts);
        cleo.does(jvm.lock()::unlock).value();
    }
}
