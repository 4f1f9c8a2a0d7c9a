// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a waiter asks again. */
class WaitingTest extends EngineTest {
    private final Jvm one = jvm();
    private final Jvm two = jvm();

    @Test
    void aReleaseElsewhereWakesTheWaiter() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        assertThat(server.listeners()).isOne();
        Duration before = env.elapsed();
        ann.does(one.lock()::unlock).value();
        waiting.value();
        assertThat(env.elapsed()).isEqualTo(before);
        bob.does(two.lock()::unlock).value();
        assertThat(server.listeners()).isZero();
    }

    @Test
    void aWaiterThatIsToldNothingAsksAtEachCeilingAndNotMoreOften() {
        server.steal(NAME, Duration.ofDays(1));
        server.losesMessages = true;
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(60));
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isBetween(60, 82);
        server.delete(NAME);
        env.advance(seconds(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterThatCannotListenAsksSoonAndThenLessAndLessOften() {
        two.protocol().listens = false;
        server.steal(NAME, Duration.ofDays(1));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(millis(70));
        assertThat(two.protocol().calls(Verb.ATTEMPT))
                .as("after 10, 20 and 40 ms, or a little less")
                .isBetween(4, 5);
        env.advance(seconds(60));
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isBetween(65, 90);
        server.delete(NAME);
        env.advance(seconds(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterThatPollsGoesOnAskingSoonWhileTheLockPassesFromHandToHand() {
        polls(two);
        server.steal(NAME, seconds(30));
        Call<Void> waiting = bob.does(two.lock()::lock);
        passFromHandToHand(400);
        assertThat(two.protocol().calls(Verb.ATTEMPT))
                .as("every 10 ms for 2 s, or a little sooner")
                .isBetween(190, 280);
        server.delete(NAME);
        env.advance(millis(10));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterThatPollsAsksSoonAgainWhenALockThatWasHeldForLongerBeginsToPass() {
        polls(two);
        server.steal(NAME, seconds(30));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(millis(250));
        int asked = two.protocol().calls(Verb.ATTEMPT);
        assertThat(asked).isLessThan(8);
        passFromHandToHand(200);
        assertThat(two.protocol().calls(Verb.ATTEMPT) - asked)
                .as("every 10 ms for a second, after the pause of 160 ms at most that had begun")
                .isGreaterThan(75);
        server.delete(NAME);
        env.advance(millis(10));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterThatPolledForAMinuteAsksSoonAgainWhenTheLockBeginsToPass() {
        polls(two);
        server.steal(NAME, seconds(300));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(60));
        passFromHandToHand(600);
        int asked = two.protocol().calls(Verb.ATTEMPT);
        passFromHandToHand(200);
        assertThat(two.protocol().calls(Verb.ATTEMPT) - asked)
                .as("every 10 ms for a second, once three seconds have passed")
                .isGreaterThan(75);
        server.delete(NAME);
        env.advance(millis(10));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aRenewalDoesNotMakeAWaiterThatPollsAskMuchMoreOften() {
        polls(two);
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(60));
        assertThat(one.protocol().calls(Verb.RENEW)).isGreaterThanOrEqualTo(5);
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isBetween(65, 97);
        ann.does(one.lock()::unlock).value();
        env.advance(seconds(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    /** Gives the lock to another holder each 5 ms. */
    private void passFromHandToHand(int times) {
        for (int i = 0; i < times; i++) {
            env.advance(millis(5));
            server.steal(NAME, seconds(30));
        }
    }

    private static void polls(Jvm jvm) {
        jvm.protocol().listens = false;
        jvm.protocol().polls = true;
    }

    @Test
    void theCeilingIsConfigured() {
        Jvm patient = jvm(config -> config.waitCeiling(seconds(10)));
        server.losesMessages = true;
        server.steal(NAME, Duration.ofDays(1));
        Call<Void> waiting = bob.does(patient.lock()::lock);
        env.advance(seconds(100));
        assertThat(patient.protocol().calls(Verb.ATTEMPT)).isBetween(10, 16);
        server.delete(NAME);
        env.advance(seconds(10));
        waiting.value();
        bob.does(patient.lock()::unlock).value();
    }

    @Test
    void aLostMessageCostsOneCeilingAndNotALease() {
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
    void aHolderThatDiesIsWaitedForNoLongerThanItsLease() {
        two.protocol().listens = false;
        server.steal(NAME, millis(2300));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(millis(2300));
        assertThat(waiting.isDone()).isFalse();
        env.advance(millis(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aHolderThatNeverEndsIsNoError() {
        server.steal(NAME, Duration.ofNanos(Long.MAX_VALUE));
        two.protocol().listens = false;
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(seconds(5));
        assertThat(waiting.isDone()).isFalse();
        server.delete(NAME);
        env.advance(seconds(1));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aReleaseBetweenTheRefusalAndTheBeginOfListeningIsNotMissed() {
        server.steal(NAME, Duration.ofDays(1));
        server.losesMessages = true;
        two.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(100)));
        Call<Void> waiting = bob.does(two.lock()::lock);
        server.delete(NAME);
        env.advance(millis(100));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aWaiterAsksAgainWhenTheSubscriptionComesBack() {
        server.steal(NAME, Duration.ofDays(1));
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(millis(300));
        int asked = two.protocol().calls(Verb.ATTEMPT);
        server.publish(NAME);
        env.settle();
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isEqualTo(asked + 1);
        server.delete(NAME);
        server.publish(NAME);
        env.settle();
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aStrayMessageIsNoGrant() {
        ann.does(one.lock()::lock).value();
        Call<Void> there = bob.does(two.lock()::lock);
        Call<Void> here = cleo.does(one.lock()::lock);
        for (int i = 0; i < 20; i++) {
            server.publish(NAME);
            env.settle();
        }
        assertThat(there.isDone()).isFalse();
        assertThat(here.isDone()).isFalse();
        ann.does(one.lock()::unlock).value();
        env.advance(millis(10));
        there.value();
        bob.does(two.lock()::unlock).value();
        env.advance(millis(10));
        here.value();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void aStrayWakeUpIsNoGrantAndNoEnd() {
        ann.does(one.lock()::lock).value();
        Call<Void> there = bob.does(two.lock()::lock);
        Call<Boolean> here = cleo.asks(() -> one.lock().tryLock(1, java.util.concurrent.TimeUnit.SECONDS));
        int asked = two.protocol().calls(Verb.ATTEMPT);
        for (int i = 0; i < 20; i++) {
            env.unpark(bob.thread());
            env.unpark(cleo.thread());
            env.settle();
        }
        assertThat(there.isDone()).isFalse();
        assertThat(here.isDone()).isFalse();
        assertThat(two.protocol().calls(Verb.ATTEMPT)).isEqualTo(asked);
        env.advance(seconds(1));
        assertThat(here.value()).isFalse();
        ann.does(one.lock()::unlock).value();
        there.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void aMessageThatComesDuringARequestIsNotLost() {
        ann.does(one.lock()::lock).value();
        Call<Void> waiting = bob.does(two.lock()::lock);
        env.advance(millis(400));
        two.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(100)));
        server.publish(NAME);
        env.settle();
        ann.does(one.lock()::unlock).value();
        assertThat(waiting.isDone()).isFalse();
        env.advance(millis(100));
        waiting.value();
        bob.does(two.lock()::unlock).value();
    }

    @Test
    void theThreadsOfOneFactoryShareOneWatch() {
        server.steal(NAME, seconds(5));
        Call<Void> first = ann.does(one.lock()::lock);
        Call<Void> second = bob.does(one.lock()::lock);
        Call<Void> third = cleo.does(one.lock()::lock);
        env.advance(seconds(6));
        first.value();
        ann.does(one.lock()::unlock).value();
        second.value();
        bob.does(one.lock()::unlock).value();
        third.value();
        assertThat(one.protocol().watches()).isOne();
        assertThat(server.listeners()).isOne();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void aWaiterThatRunsIntoAnErrorLeavesTheQueue() {
        ann.does(one.lock()::lock).value();
        env.failNextPark(bob);
        Call<Void> failed = bob.does(one.lock()::lock);
        assertThat(failed.failure()).isInstanceOf(StackOverflowError.class);
        Call<Void> next = cleo.does(one.lock()::lock);
        ann.does(one.lock()::unlock).value();
        next.value();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void aWaiterThatRunsIntoAnErrorWhenItsTurnHasComeLetsTheNextTry() {
        ann.does(one.lock()::lock).value();
        Call<Void> failed = bob.does(one.lock()::lock);
        Call<Void> next = cleo.does(one.lock()::lock);
        env.failNextWake(bob);
        // The first grant has no fencing token to spare, and goes back to the backend.
        ann.does(one.lock()::unlock).value();
        assertThat(failed.failure()).isInstanceOf(OutOfMemoryError.class);
        assertThat(bob.asks(one.lock()::isHeldByCurrentThread).value()).isFalse();
        next.value();
        cleo.does(one.lock()::unlock).value();
    }

    @Test
    void aWaiterThatRunsIntoAnErrorWhenItWasHandedTheLockHandsItOn() {
        Person dora = env.person("dora");
        dora.does(one.lock()::lock).value();
        ann.does(one.lock()::lock);
        Call<Void> failed = bob.does(one.lock()::lock);
        Call<Void> next = cleo.does(one.lock()::lock);
        // Now the claim reserves tokens for those who wait.
        dora.does(one.lock()::unlock).value();
        env.failNextWake(bob);
        ann.does(one.lock()::unlock).value();
        assertThat(failed.failure()).isInstanceOf(OutOfMemoryError.class);
        assertThat(bob.asks(one.lock()::isHeldByCurrentThread).value()).isFalse();
        next.value();
        cleo.does(one.lock()::unlock).value();
    }
}
