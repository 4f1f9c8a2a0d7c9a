// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The validity of grants by message, with clocks that no real server can be made to show. */
class PlacesTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long SERVER_MICROS = 1_000_000_000L;
    private static final String KEY = "interlock:{name}";

    private final HandTurned clock = new HandTurned();
    private final Wire wire = new Wire();
    private final Places places = new Places(clock, wire, new LockKeys("interlock"), Places.LONGEST_HAND_OFF);
    private final AtomicInteger woken = new AtomicInteger();

    private static Claim claim(long number, Duration lease, boolean renewed) {
        return new Claim("name", new OwnerToken("token " + number), lease, Fixture.PATIENCE, 17, number, true, renewed);
    }

    /** A claim that was refused just now. */
    private Claim refused(Duration lease, boolean renewed) {
        places.watch("name", woken::incrementAndGet);
        wire.listener.begun();
        Claim claim = claim(7, lease, renewed);
        places.enter(claim);
        places.refused(claim, places.now(claim), SERVER_MICROS, true, SERVER_MICROS);
        return claim;
    }

    private void message(long number, long fence, Duration afterRefusal) {
        wire.listener.message(
                text(number, fence, SERVER_MICROS + TimeUnit.NANOSECONDS.toMicros(afterRefusal.toNanos())));
    }

    private static String text(long number, long fence, long micros) {
        return Fixture.message("token " + number, fence + " " + micros + " " + KEY);
    }

    @Test
    void aMessageThatComesAtOnceGrantsWhatTheScriptHasGiven() {
        Claim claim = refused(LEASE, true);
        int before = woken.get();
        message(7, 42, Duration.ZERO);
        assertThat(woken.get()).isEqualTo(before + 1);
        assertThat(places.takeGrant(claim))
                .contains(new Attempt.Granted(Duration.ofMillis(1_978), OptionalLong.of(42)));
        assertThat(places.takeGrant(claim)).as("a message grants once").isEmpty();
        assertThat(places.has(claim)).isFalse();
    }

    @Test
    void aServerThatWouldNotReachUsIsDoubtedEverLessOften() {
        Watch watch = places.watch("name", woken::incrementAndGet);
        wire.listener.begun();
        Claim claim = claim(7, LEASE, true);
        places.enter(claim);
        assertThat(watch.isListening()).isTrue();
        for (int i = 0; i < 10; i++) {
            places.refused(claim, places.now(claim), SERVER_MICROS, true, 0);
        }
        assertThat(wire.doubts).hasValue(1);
        assertThat(watch.isListening()).isFalse();
        clock.pass(Duration.ofSeconds(1));
        places.refused(claim, places.now(claim), SERVER_MICROS, true, 0);
        clock.pass(Duration.ofSeconds(1));
        places.refused(claim, places.now(claim), SERVER_MICROS, true, 0);
        assertThat(wire.doubts).hasValue(2);
        clock.pass(Duration.ofSeconds(1));
        places.refused(claim, places.now(claim), SERVER_MICROS, true, 0);
        assertThat(wire.doubts).hasValue(3);
        places.refused(claim, places.now(claim), SERVER_MICROS, true, SERVER_MICROS);
        assertThat(watch.isListening()).isTrue();
        places.refused(claim, places.now(claim), SERVER_MICROS, true, 0);
        assertThat(wire.doubts).as("the first doubt after a success is at once").hasValue(4);
    }

    @Test
    void aPlaceIsKeptWhileTheServerWouldNotReachUs() {
        Claim claim = refused(LEASE, true);
        assertThat(places.since(claim)).isEqualTo(SERVER_MICROS);
        wire.listener.ended();
        places.refused(claim, places.now(claim), SERVER_MICROS + 1, false, 0);
        wire.listener.begun();
        places.refused(claim, places.now(claim), SERVER_MICROS + 2, true, 0);
        assertThat(places.since(claim)).isEqualTo(SERVER_MICROS);
    }

    @Test
    void aMessageOverAnotherSubscriptionThanAtTheRefusalIsNoGrant() {
        Claim claim = refused(LEASE, true);
        wire.listener.ended();
        wire.listener.begun();
        message(7, 42, Duration.ZERO);
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aRefusalThatIsReadAfterTheSubscriptionHasMovedIsNoMeasureForMessagesOfTheNextServer() {
        Claim claim = refused(LEASE, true);
        Places.Moment before = places.now(claim);
        wire.listener.ended();
        wire.listener.begun();
        places.refused(claim, before, SERVER_MICROS, true, SERVER_MICROS);
        message(7, 42, Duration.ZERO);
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aSubscriptionThatEndsWakesThoseWhoWaitForItsMessages() {
        Claim claim = refused(LEASE, true);
        Watch watch = places.watch("name", woken::incrementAndGet);
        int before = woken.get();
        wire.listener.ended();
        assertThat(woken.get()).isEqualTo(before + 1);
        assertThat(watch.isListening()).isFalse();
        assertThat(places.mayEnter(claim)).isFalse();
        wire.listener.begun();
        assertThat(watch.isListening()).isTrue();
        assertThat(places.mayEnter(claim)).isTrue();
    }

    @Test
    void aShorterLeaseIsGrantedAsItIs() {
        Claim claim = refused(Duration.ofMillis(500), false);
        message(7, 0, Duration.ZERO);
        assertThat(places.takeGrant(claim)).contains(new Attempt.Granted(Duration.ofMillis(493), OptionalLong.empty()));
    }

    @Test
    void whoeverDoesNotRenewIsNotContentWithLess() {
        Claim claim = refused(LEASE, false);
        message(7, 42, Duration.ZERO);
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void theValidityRunsFromWhenTheServerGrantedIt() {
        Claim claim = refused(LEASE, true);
        clock.pass(Duration.ofMillis(1_300));
        message(7, 42, Duration.ofMillis(1_000));
        assertThat(places.takeGrant(claim))
                .as("less 300 ms on the way, and 1 % of the second before")
                .contains(new Attempt.Granted(Duration.ofMillis(1_978 - 310), OptionalLong.of(42)));
    }

    @Test
    void aServerWhoseClockIsFastGrantsNoTimeThatIsStillToCome() {
        Claim claim = refused(LEASE, true);
        message(7, 42, Duration.ofSeconds(100));
        assertThat(places.takeGrant(claim))
                .contains(new Attempt.Granted(Duration.ofMillis(1_978), OptionalLong.of(42)));
    }

    @Test
    void aMessageThatComesLateIsNoGrant() {
        Claim claim = refused(LEASE, true);
        clock.pass(Duration.ofMillis(1_100));
        message(7, 42, Duration.ZERO);
        assertThat(places.takeGrant(claim)).isEmpty();
        assertThat(places.has(claim)).as("it has to ask, and keeps its place").isTrue();
    }

    @Test
    void aMessageThatWasReadLateIsNoGrant() {
        Claim claim = refused(LEASE, true);
        message(7, 42, Duration.ZERO);
        clock.pass(Duration.ofSeconds(3));
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aMachineThatWasSuspendedKnowsByItsWallClock() {
        Claim claim = refused(LEASE, true);
        clock.suspend(Duration.ofSeconds(3));
        message(7, 42, Duration.ofMillis(1));
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aMessageThatOnlyWakesIsNoGrantEvenIfSomebodyChangesIt() {
        Claim claim = refused(LEASE, true);
        int before = woken.get();
        String wakes = text(7, 0, 0);
        wire.listener.message(wakes);
        assertThat(woken.get()).isEqualTo(before + 1);
        assertThat(places.takeGrant(claim)).isEmpty();
        wire.listener.message(wakes.replace(" 0 0 ", " 42 " + SERVER_MICROS + " "));
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aMessageThatOnlyWakesTellsNoWaiterThatItWasGrantedTheLock() {
        Claim waiter = claim(7, LEASE, true).withCondition("c");
        places.listen(waiter, woken::incrementAndGet);
        wire.listener.begun();
        wire.listener.message(text(7, 0, 0));
        assertThat(places.isGranted(waiter)).isFalse();
        message(7, 0, Duration.ZERO);
        assertThat(places.isGranted(waiter)).isTrue();
    }

    @Test
    void aMessageFromBeforeTheLastRefusalIsNoGrant() {
        Claim claim = refused(LEASE, true);
        message(7, 42, Duration.ofMillis(-1));
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void aMessageThatOvertakesTheFirstAnswerIsNoGrant() {
        refused(LEASE, true);
        Claim unanswered = claim(8, LEASE, true);
        places.enter(unanswered);
        message(8, 42, Duration.ZERO);
        assertThat(places.takeGrant(unanswered)).isEmpty();
    }

    @Test
    void aMessageForAnotherClaimWakesNobodyAndGrantsNothing() {
        Claim claim = refused(LEASE, true);
        int before = woken.get();
        message(6, 42, Duration.ZERO);
        assertThat(woken).hasValue(before);
        assertThat(places.takeGrant(claim)).isEmpty();
    }

    @Test
    void whoeverBeginsToWatchAfterTheMessageIsToldAtOnce() {
        Claim claim = claim(7, LEASE, true);
        places.watch("other", () -> {});
        wire.listener.begun();
        places.enter(claim);
        places.refused(claim, places.now(claim), SERVER_MICROS, true, SERVER_MICROS);
        Watch silent = places.watch("name", woken::incrementAndGet);
        assertThat(woken).as("it has a place, and nothing has happened").hasValue(0);
        silent.close();
        message(7, 42, Duration.ZERO);
        places.watch("name", woken::incrementAndGet);
        assertThat(woken).hasValue(1);
    }

    @Test
    void nobodyEntersBeforeTheClientListens() {
        Claim claim = claim(7, LEASE, true);
        assertThat(places.mayEnter(claim)).isFalse();
        places.watch("name", woken::incrementAndGet);
        assertThat(places.mayEnter(claim)).isFalse();
        wire.listener.begun();
        assertThat(places.mayEnter(claim)).isTrue();
        assertThat(woken).as("to ask, and to enter").hasValue(1);
        assertThat(places.mayEnter(new Claim("name", "token", LEASE, Fixture.PATIENCE, 1)))
                .isFalse();
    }

    /** Clocks that stand still unless they are moved. */
    private static final class HandTurned implements Environment {
        private long nanos = Long.MAX_VALUE - 5;
        private long wallMillis = 1_700_000_000_000L;

        void pass(Duration time) {
            nanos += time.toNanos();
            suspend(time);
        }

        void suspend(Duration time) {
            wallMillis += time.toMillis();
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long currentTimeMillis() {
            return wallMillis;
        }

        @Override
        public void park(Object blocker, long parkNanos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void unpark(Thread thread) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Thread newThread(String name, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nextLong(long bound) {
            return 0;
        }

        @Override
        public String newToken() {
            return "client";
        }
    }

    /** Keeps the listener. */
    private static final class Wire implements RedisNode {
        private Listener listener;
        private final AtomicInteger doubts = new AtomicInteger();

        @Override
        public void doubtSubscriptions() {
            doubts.incrementAndGet();
        }

        @Override
        public Watch subscribe(String channel, Listener toTell) {
            assertThat(channel).isEqualTo("interlock:client:client");
            assertThat(listener).as("one subscription for all waits").isNull();
            listener = toTell;
            return Watch.NONE;
        }

        @Override
        public @Nullable Object call(RedisCommand command, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<RedisLink.Reply> callInOrder(
                List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable String transactIfEqual(
                String key, String expected, List<RedisCommand> commands, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
