// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.ConditionProtocol.Place;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The states of waiters of a condition, step by step, and the fate of a signal whose waiter is gone. */
class ConditionsTest extends ProtocolFixture {
    private static final String CONDITION = "1";

    private static ConditionProtocol conditions(LeaseProtocol protocol) {
        return protocol.conditions().orElseThrow();
    }

    /** A claim that waits for the condition, in a client that listens, and has released the lock for that. */
    private Claim waiter(LeaseProtocol protocol) {
        return waiter(protocol, CONDITION);
    }

    private Claim waiter(LeaseProtocol protocol, String condition) {
        listen(protocol);
        Claim held = held(protocol);
        Claim waiter = waiting().withCondition(condition);
        Watch watch = conditions(protocol).listen(waiter, () -> {});
        await().atMost(Fixture.PATIENCE).until(watch::isListening);
        assertThat(conditions(protocol).await(held, waiter, true)).isInstanceOf(Release.Freed.class);
        return waiter;
    }

    private void signal(LeaseProtocol protocol, Claim held) {
        assertThat(conditions(protocol).signal(held, CONDITION, false)).isEmpty();
    }

    private Object size(String suffix) {
        return redis.server.command("ZCARD", KEY + suffix);
    }

    private void assertSizes(long waiting, long moved, long signals) {
        assertThat(List.of(size(":condition:1"), size(":waiting"), size(":signals:1")))
                .as("those who wait for the condition, those who wait for the lock, and signals that are on their way")
                .isEqualTo(List.of(waiting, moved, signals));
    }

    private static void awaitTold(LeaseProtocol protocol, Claim waiter) {
        await().atMost(Fixture.PATIENCE).until(() -> conditions(protocol).isTold(waiter));
    }

    @Test
    void aWaiterIsMovedGrantedAndConfirmedByItsRelease() {
        LeaseProtocol one = protocol();
        LeaseProtocol other = protocol();
        Claim waiter = waiter(one);
        assertThat(word()).isNull();
        assertSizes(1, 0, 0);
        Claim held = held(other);
        signal(other, held);
        assertSizes(0, 1, 1);
        assertThat(word()).as("so that the release looks at the list").isEqualTo(marked(held));
        assertThat(conditions(one).look(waiter)).isEqualTo(Place.SIGNALLED);
        other.release(held);
        awaitTold(one, waiter);
        assertThat(word()).isEqualTo(LockWord.of(waiter));
        assertSizes(0, 0, 1);
        assertGranted(one.attempt(waiter));
        assertThat(one.release(waiter.withHeld(true))).isInstanceOf(Release.Freed.class);
        assertSizes(0, 0, 0);
        assertThat(word()).isNull();
    }

    @Test
    void whoeverLeavesBeforeTheSignalStandsNowhere() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        assertThat(conditions(one).leave(waiter, false)).isEqualTo(Place.WAITING);
        assertThat(conditions(one).leave(waiter, false)).isEqualTo(Place.GONE);
        assertSizes(0, 0, 0);
    }

    @Test
    void whoeverLeavesAfterTheSignalKeepsItsPlaceOrPassesItOn() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one);
        Claim held = held(one);
        signal(one, held);
        assertThat(conditions(one).leave(first, false)).isEqualTo(Place.SIGNALLED);
        assertSizes(1, 1, 1);
        assertThat(conditions(one).leave(first, true)).isEqualTo(Place.SIGNALLED);
        assertSizes(0, 1, 1);
        assertThat(conditions(one).look(first)).isEqualTo(Place.GONE);
        assertThat(conditions(one).look(second)).isEqualTo(Place.SIGNALLED);
        one.release(held);
        awaitTold(one, second);
    }

    @Test
    void aWaiterThatIsGoneIsPassedOverBySignals() {
        LeaseProtocol one = protocol();
        LeaseProtocol other = protocol();
        waiter(one);
        Claim second = waiter(other);
        one.close();
        Claim held = held(other);
        await().atMost(Fixture.PATIENCE).until(() -> {
            // The server notices the end of a connection when it comes to it.
            signal(other, held);
            return conditions(other).look(second) == Place.SIGNALLED;
        });
    }

    @Test
    void aSignalIsPassedOnWhoseWaiterIsGoneBeforeTheGrant() {
        LeaseProtocol one = protocol();
        LeaseProtocol other = protocol();
        waiter(one);
        Claim second = waiter(other);
        Claim held = held(other);
        signal(other, held);
        one.close();
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server
                                .command("PUBSUB", "CHANNELS", "interlock:client:*")
                                .toString()
                                .split(",")
                                .length
                        == 1);
        other.release(held);
        assertThat(word()).as("granted to nobody").isNull();
        assertThat(conditions(other).look(second)).isEqualTo(Place.SIGNALLED);
        awaitTold(other, second);
    }

    @Test
    void aSignalIsPassedOnWhoseWaiterIsGoneAfterTheGrant() {
        LeaseProtocol one = protocol();
        LeaseProtocol other = protocol();
        Claim first = waiter(one);
        Claim second = waiter(other);
        Claim held = held(other);
        signal(other, held);
        other.release(held);
        awaitTold(one, first);
        assertThat(conditions(other).look(second))
                .as("while the first holds the lock")
                .isEqualTo(Place.WAITING);
        redis.server.command("DEL", KEY);
        assertThat(conditions(other).look(second)).isEqualTo(Place.SIGNALLED);
        awaitTold(other, second);
    }

    @Tag("deep")
    @Test
    void aSignalOfAllMovesThemInOrderAndInSeveralScripts() {
        LeaseProtocol one = protocol();
        List<Claim> waiters = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            waiters.add(waiter(one));
        }
        Claim held = held(one);
        assertThat(conditions(one).signal(held, CONDITION, true)).isEmpty();
        assertSizes(0, 120, 120);
        assertThat((List<?>) redis.server.command("ZRANGE", KEY + ":waiting", "0", "-1"))
                .extracting(entry -> entry.toString().replaceFirst("@.*", ""))
                .isEqualTo(waiters.stream()
                        .map(waiter -> Long.toString(waiter.number()))
                        .toList());
    }

    @Test
    void whoeverHoldsTheLockNoLongerNeitherWaitsNorSignals() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        Claim gone = waiting();
        assertThat(conditions(one).signal(gone, CONDITION, true)).isPresent();
        assertThat(conditions(one).await(gone, waiting().withCondition(CONDITION), true))
                .isInstanceOf(Release.Lost.class);
        assertSizes(1, 0, 0);
        assertThat(conditions(one).look(waiter)).isEqualTo(Place.WAITING);
    }

    @Test
    void aWaiterThatSeesTheLeaseOfAHolderEndIsWoken() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        AtomicInteger holders = new AtomicInteger();
        // On a busy machine the waiter may not see a holder often enough, and has to see another one.
        await().atMost(Fixture.PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            String word = LockWord.MAGIC + "dead-" + holders.incrementAndGet();
            redis.server.command("SET", KEY, word, "NX", "PX", "400");
            return conditions(one).look(waiter) == Place.GONE;
        });
        assertSizes(0, 0, 0);
    }

    @Test
    void aWaiterThatSeesHoldersReleaseGoesOnWaiting() {
        LeaseProtocol one = protocol();
        LeaseProtocol other = protocol();
        Claim waiter = waiter(one);
        for (int i = 0; i < 3; i++) {
            Claim held = held(other);
            assertThat(conditions(one).look(waiter)).isEqualTo(Place.WAITING);
            assertThat(conditions(one).look(waiter)).isEqualTo(Place.WAITING);
            other.release(held);
            assertThat(conditions(one).look(waiter)).isEqualTo(Place.WAITING);
        }
        assertSizes(1, 0, 0);
    }

    @Test
    void theReleaseOfAGrantByWhichNobodyHasHeldTheLockLeavesTheSignalForTheNext() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one);
        Claim held = held(one);
        signal(one, held);
        one.release(held);
        awaitTold(one, first);
        assertThat(one.release(first)).isInstanceOf(Release.Freed.class);
        assertSizes(1, 0, 1);
        assertThat(conditions(one).look(second)).isEqualTo(Place.SIGNALLED);
    }

    @Test
    void whoeverLeavesAfterItsGrantWasGivenBackPassesTheSignalOnAtOnce() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        waiter(one);
        Claim held = held(one);
        signal(one, held);
        one.release(held);
        awaitTold(one, first);
        one.release(first);
        assertThat(conditions(one).leave(first, true)).isEqualTo(Place.GONE);
        assertSizes(0, 1, 1);
    }

    @Test
    void anotherClaimAdoptsTheSignalInOneRequestAndItsReleaseConfirmsIt() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        Claim held = held(one);
        signal(one, held);
        assertSizes(0, 1, 1);
        node(one).sent.clear();
        Claim adopted = adopt(one, held, waiter);
        assertThat(node(one).sent).hasSize(1);
        assertSizes(0, 0, 1);
        assertThat(word()).asString().startsWith(LockWord.of(held));
        one.release(adopted);
        assertSizes(0, 0, 0);
        assertThat(word()).isNull();
    }

    /** The claim holds the lock for one thread of the client after the other. */
    private static Claim adopt(LeaseProtocol protocol, Claim held, Claim waiter) {
        conditions(protocol).adopt(held, waiter);
        return held.withCondition(waiter.condition().orElseThrow()).withHeld(true);
    }

    @Test
    void anAdoptedSignalIsPassedOnOnceItsHolderIsGone() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one);
        Claim held = held(one);
        signal(one, held);
        adopt(one, held, first);
        assertThat(conditions(one).look(second)).as("while it holds the lock").isEqualTo(Place.WAITING);
        redis.server.command("DEL", KEY);
        assertThat(conditions(one).look(second)).isEqualTo(Place.SIGNALLED);
    }

    @Test
    void anAdoptedSignalIsPassedOnIfTheLockIsGivenBackByAHoldThatEndedTooSoon() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one);
        Claim held = held(one);
        signal(one, held);
        one.release(adopt(one, held, first).withHeld(false));
        assertThat(conditions(one).look(second)).isEqualTo(Place.SIGNALLED);
    }

    @Test
    void aClaimThatAdoptsASignalConfirmsTheOneBefore() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one, "2");
        Claim third = waiter(one, "2");
        Claim held = held(one);
        signal(one, held);
        assertThat(conditions(one).signal(held, "2", true)).isEmpty();
        Claim adopted = adopt(one, adopt(one, held, first), second);
        assertThat(List.of(size(":signals:1"), size(":signals:2"))).isEqualTo(List.of(0L, 2L));
        adopted = adopt(one, adopted, third);
        assertThat(size(":signals:2")).as("of the same condition").isEqualTo(1L);
        one.release(adopted);
        assertThat(List.of(size(":signals:1"), size(":signals:2"))).isEqualTo(List.of(0L, 0L));
    }

    @Test
    void aSignalThatWasPassedOnIsNotAdopted() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        Claim held = held(one);
        signal(one, held);
        Claim adopted = adopt(one, held, waiter);
        assertThat(size(":signals:1")).isEqualTo(1L);
        conditions(one).leave(waiter, true);
        adopt(one, adopted, waiter);
        assertSizes(0, 0, 0);
    }

    @Test
    void whoeverAdoptsASignalGivesBackWhatTheClaimOfTheWaiterWasGranted() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        Claim held = held(one);
        signal(one, held);
        one.release(held);
        awaitTold(one, waiter);
        adopt(one, held, waiter);
        assertThat(word()).isNull();
        assertSizes(0, 0, 1);
        // Whoever has adopted it does not hold the lock any more.
        assertThat(conditions(one).look(waiter(one))).isEqualTo(Place.SIGNALLED);
    }

    @Test
    void aSignalIsKeptUntilThoseWhoAreGoneAreOutOfTheWayOfTheNext() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        for (int i = 0; i < 150; i++) {
            redis.server.command("ZADD", KEY + ":condition:1", "1", i + "@1 token 2000 1 interlock:client:gone");
        }
        Claim last = waiter(one);
        redis.server.command("ZREM", KEY + ":condition:1", entryOf(first));
        redis.server.command("ZADD", KEY + ":signals:1", "1", "0@1 token 2000 1 interlock:client:gone");
        assertThat(conditions(one).look(last))
                .as("behind more than one script drops")
                .isEqualTo(Place.WAITING);
        assertThat(size(":signals:1")).isEqualTo(1L);
        assertThat(conditions(one).look(last)).isEqualTo(Place.SIGNALLED);
    }

    private String entryOf(Claim waiter) {
        return ((List<?>) redis.server.command("ZRANGE", KEY + ":condition:1", "0", "-1"))
                .stream()
                        .map(Object::toString)
                        .filter(entry -> entry.contains(" " + waiter.token() + " "))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void theRecordOfASignalLivesForAsLongAsSomebodyWaits() {
        LeaseProtocol one = protocol();
        Claim first = waiter(one);
        Claim second = waiter(one);
        Claim held = held(one);
        signal(one, held);
        one.release(held);
        awaitTold(one, first);
        redis.server.command("PEXPIRE", KEY + ":signals:1", "5000");
        assertThat(conditions(one).look(second)).isEqualTo(Place.WAITING);
        assertThat((Long) redis.server.command("PTTL", KEY + ":signals:1")).isGreaterThan(60_000);
    }

    @Test
    void aChangeOfTheSubscriptionIsToldToThoseWhoWait() {
        LeaseProtocol one = protocol();
        Claim waiter = waiter(one);
        AtomicInteger changes = new AtomicInteger();
        conditions(one).listen(waiter, changes::incrementAndGet);
        redis.server.command("CLIENT", "KILL", "TYPE", "pubsub");
        await().atMost(Fixture.PATIENCE).until(() -> changes.get() >= 2);
    }
}
