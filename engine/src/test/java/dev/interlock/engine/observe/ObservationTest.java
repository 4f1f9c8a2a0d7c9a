// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockBackendException;
import dev.interlock.LockListener;
import dev.interlock.LockListener.Acquired;
import dev.interlock.LockListener.Lost;
import dev.interlock.LockListener.OutageBegan;
import dev.interlock.LockListener.OutageEnded;
import dev.interlock.LockListener.QueueChanged;
import dev.interlock.LockListener.Released;
import dev.interlock.LockListener.RenewalFailed;
import dev.interlock.LockListener.Renewed;
import dev.interlock.LockListener.Requested;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each event, with its figures. */
class ObservationTest extends EngineTest {
    private static final String STRATEGY = "memory";

    private final Heard heard = new Heard();
    private final Jvm one = jvm(config -> config.listener(heard));
    private final DistributedLock lock = one.lock();

    @TempDir
    Path folder;

    @AfterEach
    void noEventShowsAnOwnerToken() {
        env.settle();
        assertThat(heard.rest()).noneMatch(event -> event.toString().contains("secret#"));
    }

    private <T> List<T> heard(Class<T> type) {
        env.settle();
        return heard.rest().stream().filter(type::isInstance).map(type::cast).toList();
    }

    private List<Class<?>> kinds() {
        env.settle();
        return heard.rest().stream().<Class<?>>map(Object::getClass).toList();
    }

    private OptionalLong fence(Person person) {
        return person.asks(lock::lease).value().orElseThrow().fencingToken();
    }

    @Test
    void anUncontendedHoldIsRequestedAcquiredAndReleased() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(2)));
        Call<Void> call = ann.does(lock::lock);
        env.advance(seconds(2));
        call.value();
        OptionalLong fence = fence(ann);
        env.advance(seconds(3));
        ann.does(lock::unlock).value();
        env.settle();

        assertThat(heard.rest())
                .containsExactly(
                        new Requested(STRATEGY, NAME),
                        new Acquired(STRATEGY, NAME, seconds(2), 1, false, fence),
                        new Released(STRATEGY, NAME, seconds(3)));
    }

    @Test
    void reentryIsNoEvent() {
        ann.does(lock::lock).value();
        ann.does(lock::lock).value();
        ann.does(lock::unlock).value();
        assertThat(kinds()).containsExactly(Requested.class, Acquired.class);
        ann.does(lock::unlock).value();
        assertThat(kinds()).containsExactly(Requested.class, Acquired.class, Released.class);
    }

    @Test
    void aLockThatIsTakenIsRequestedAndNotAcquired() {
        server.steal(NAME, seconds(100));
        assertThat(ann.asks(lock::tryLock).value()).isFalse();
        assertThat(kinds()).containsExactly(Requested.class);
        server.delete(NAME);
    }

    @Test
    void aHandOverIsLocalAsksNobodyAndChangesTheQueue() {
        ann.does(lock::lock).value();
        env.advance(seconds(1));
        Call<Void> second = bob.does(lock::lock);
        Call<Void> third = cleo.does(lock::lock);
        env.advance(seconds(4));
        ann.does(lock::unlock).value();
        second.value();
        OptionalLong fence = fence(bob);
        env.advance(seconds(1));
        bob.does(lock::unlock).value();
        third.value();
        OptionalLong last = fence(cleo);
        cleo.does(lock::unlock).value();

        assertThat(heard(QueueChanged.class).stream().map(QueueChanged::length)).containsExactly(1, 2, 1, 0);
        // A grant is handed over as often as others waited when it was asked for: nobody did at the first.
        assertThat(heard(Acquired.class))
                .element(1)
                .isEqualTo(new Acquired(STRATEGY, NAME, seconds(4), 1, false, fence));
        assertThat(heard(Acquired.class)).element(2).isEqualTo(new Acquired(STRATEGY, NAME, seconds(5), 0, true, last));
        assertThat(heard(Acquired.class)).hasSize(3);
        assertThat(heard(Released.class))
                .containsExactly(
                        new Released(STRATEGY, NAME, seconds(5)),
                        new Released(STRATEGY, NAME, seconds(1)),
                        new Released(STRATEGY, NAME, Duration.ZERO));
    }

    @Test
    void whoeverLeavesTheQueueChangesItsLength() {
        ann.does(lock::lock).value();
        Call<Boolean> waiting = bob.asks(() -> lock.tryLock(2, TimeUnit.SECONDS));
        env.advance(seconds(2));
        assertThat(waiting.value()).isFalse();
        ann.does(lock::unlock).value();
        assertThat(heard(QueueChanged.class).stream().map(QueueChanged::length)).containsExactly(1, 0);
    }

    @Test
    void anAcquisitionFromTheBackendCountsItsAttempts() {
        server.steal(NAME, seconds(3));
        Call<Void> call = ann.does(lock::lock);
        env.advance(seconds(5));
        call.value();
        int attempts = one.protocol().calls(Verb.ATTEMPT);
        ann.does(lock::unlock).value();

        assertThat(attempts).isGreaterThan(1);
        assertThat(heard(Acquired.class)).singleElement().satisfies(event -> {
            assertThat(event.attempts()).isEqualTo(attempts);
            assertThat(event.local()).isFalse();
            assertThat(event.waited()).isBetween(seconds(3), seconds(5));
        });
    }

    @Test
    void aHandleIsHeldAsAThreadsHoldIs() {
        var handle = ann.asks(lock::acquire).value();
        env.advance(seconds(3));
        bob.does(handle::close).value();
        assertThat(kinds()).containsExactly(Requested.class, Acquired.class, Released.class);
        assertThat(heard(Released.class)).containsExactly(new Released(STRATEGY, NAME, seconds(3)));
    }

    @Test
    void aRenewalTellsHowLongItTookAndWhatItGave() {
        ann.does(lock::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.slowRequest(seconds(1)));
        env.advance(seconds(11));
        assertThat(heard(Renewed.class)).containsExactly(new Renewed(STRATEGY, NAME, seconds(1), seconds(29)));
        ann.does(lock::unlock).value();
    }

    @Test
    void aRenewalThatFailsTellsWhy() {
        ann.does(lock::lock).value();
        one.protocol().next(Verb.RENEW, RequestFault.unreachable());
        env.advance(seconds(10));
        assertThat(heard(RenewalFailed.class)).singleElement().satisfies(event -> {
            assertThat(event.lockName()).isEqualTo(NAME);
            assertThat(event.cause().reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE);
        });
        ann.does(lock::unlock).value();
    }

    @Test
    void aLossTellsItsCauseAndIsNoRelease() {
        ann.does(lock::lock).value();
        server.delete(NAME);
        env.advance(seconds(10));
        assertThat(ann.does(lock::unlock).failure()).isNotNull();
        assertThat(heard(Lost.class)).containsExactly(new Lost(STRATEGY, NAME, LossCause.GONE, seconds(10)));
        assertThat(heard(Released.class)).isEmpty();
    }

    @Test
    void aReleaseThatFindsTheLockGoneIsALoss() {
        ann.does(lock::lock).value();
        env.advance(seconds(2));
        server.delete(NAME);
        assertThat(ann.does(lock::unlock).failure()).isNotNull();
        assertThat(heard(Lost.class)).containsExactly(new Lost(STRATEGY, NAME, LossCause.GONE, seconds(2)));
        assertThat(heard(Released.class)).isEmpty();
    }

    @Test
    void closingTheFactoryLosesWhatIsHeldAndTellsSo() {
        ann.does(lock::lock).value();
        env.advance(seconds(2));
        one.engine().close();
        env.settle();
        assertThat(heard(Lost.class)).containsExactly(new Lost(STRATEGY, NAME, LossCause.FACTORY_CLOSED, seconds(2)));
        assertThat(env.threads()).as("the thread of the listeners too").isEmpty();
    }

    @Test
    void anOutageBeginsOnceAndEndsWithItsLength() {
        server.steal(NAME, seconds(100));
        Call<Void> waiting = ann.does(lock::lock);
        env.advance(seconds(5));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(8));
        assertThat(heard(OutageBegan.class))
                .singleElement()
                .satisfies(
                        event -> assertThat(event.cause().reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE));
        assertThat(heard(OutageEnded.class)).isEmpty();
        one.protocol().heal();
        server.delete(NAME);
        env.advance(seconds(3));
        waiting.value();
        ann.does(lock::unlock).value();
        assertThat(heard(OutageBegan.class)).hasSize(1);
        // From the first failure to the first answer, both of which come when a waiter asks.
        assertThat(heard(OutageEnded.class))
                .singleElement()
                .satisfies(event -> assertThat(event.lasted()).isBetween(seconds(6), seconds(11)));
    }

    @Test
    void aListenerThatBlocksDelaysNoLock() {
        Jvm blocked = jvm(config -> config.listener(new LockListener() {
            @Override
            public void requested(Requested event) {
                long until = env.nanoTime() + seconds(5).toNanos();
                while (until - env.nanoTime() > 0) {
                    env.park(this, until - env.nanoTime());
                }
            }
        }));
        for (int i = 0; i < 3; i++) {
            ann.does(blocked.lock()::lock).value();
            ann.does(blocked.lock()::unlock).value();
        }
        assertThat(env.elapsed()).isZero();
        // Time for the listener to come to its end.
        env.advance(seconds(10));
    }

    @Test
    void aListenerMayUseTheLockThatItHearsOf() {
        Jvm curious = jvm(config -> config.listener(new LockListener() {
            @Override
            public void released(Released event) {
                heard.hear("free: " + server.isFree(event.lockName()));
            }
        }));
        ann.does(curious.lock()::lock).value();
        ann.does(curious.lock()::unlock).value();
        env.settle();
        assertThat(heard.rest()).containsExactly("free: true");
    }

    @Test
    void flightRecorderHasTheSameFigures() throws IOException {
        Jvm silent = jvm();
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            for (String name : List.of("Acquisition", "Hold", "Renewal", "Loss", "Outage")) {
                recording.enable("dev.interlock." + name);
            }
            recording.start();
            silent.protocol().next(Verb.ATTEMPT, RequestFault.slowRequest(seconds(2)));
            Call<Void> call = ann.does(silent.lock()::lock);
            env.advance(seconds(13));
            call.value();
            ann.does(silent.lock()::unlock).value();
            recording.stop();
            Path file = folder.resolve("test.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().startsWith("dev.interlock."))
                    .toList();
        }
        assertThat(events).hasSize(3);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("lock")).isEqualTo(NAME);
            assertThat(event.getString("strategy")).isEqualTo(STRATEGY);
        });
        assertThat(event(events, "Acquisition").getDuration("waited")).isEqualTo(seconds(2));
        assertThat(event(events, "Acquisition").getInt("attempts")).isEqualTo(1);
        assertThat(event(events, "Acquisition").getThread().getJavaName()).isEqualTo("ann");
        assertThat(event(events, "Renewal").getDuration("remaining")).isEqualTo(LEASE);
        assertThat(event(events, "Hold").getDuration("held")).isEqualTo(seconds(11));
    }

    /** The events of several threads are in no order. */
    private static RecordedEvent event(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("dev.interlock." + name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name));
    }

    @Test
    void aLogThatThrowsBecauseEventsAreDroppedStopsNoLock() {
        AtomicBoolean blocks = new AtomicBoolean(true);
        Jvm blocked = jvm(config -> config.listener(new LockListener() {
            @Override
            public void requested(Requested event) {
                while (blocks.get()) {
                    env.park(this, seconds(3_600).toNanos());
                }
            }
        }));
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getMessage().startsWith("events of locks were dropped")) {
                    throw new IllegalStateException("the disk is full");
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LockOptions unrenewed =
                LockOptions.builder().lease(seconds(600)).renewal(false).build();
        ann.does(blocked.lock(unrenewed)::lock).value();
        while (logged().stream().noneMatch(line -> line.contains("events of locks were dropped"))) {
            cleo.does(blocked.lock()::tryLock).value();
        }
        // After a minute the next dropped event is logged again.
        env.advance(seconds(61));
        Logger logger = Logger.getLogger("dev.interlock.engine");
        logger.addHandler(broken);
        Call<Void> second;
        try {
            second = bob.does(blocked.lock()::lock);
        } finally {
            logger.removeHandler(broken);
        }
        Call<Void> third = cleo.does(blocked.lock()::lock);
        ann.does(blocked.lock()::unlock).value();
        second.value();
        bob.does(blocked.lock()::unlock).value();
        third.value();
        cleo.does(blocked.lock()::unlock).value();
        blocks.set(false);
        env.advance(seconds(3_700));
    }

    @Test
    void nothingIsReleasedThatWasNotAcquired() {
        one.protocol().next(Verb.ATTEMPT, RequestFault.slowReply(millis(100)));
        Call<Void> call = bob.does(lock::lockInterruptibly);
        bob.interrupt();
        env.advance(millis(200));
        assertThat(call.failure()).isInstanceOf(InterruptedException.class);
        assertThat(kinds()).containsExactly(Requested.class);
    }

    @Test
    void nothingIsLostThatWasNotAcquired() {
        Person dora = env.person("dora");
        dora.does(lock::lock).value();
        ann.does(lock::lock);
        Call<Void> next = bob.does(lock::lock);
        dora.does(lock::unlock).value();
        env.oversleep(bob, seconds(40));
        ann.does(lock::unlock).value();
        server.delete(NAME);
        env.advance(seconds(60));
        next.value();
        bob.does(lock::unlock).value();
        assertThat(heard(Acquired.class)).hasSize(3);
        assertThat(heard(Released.class)).hasSize(3);
        assertThat(heard(Lost.class)).isEmpty();
    }
}
