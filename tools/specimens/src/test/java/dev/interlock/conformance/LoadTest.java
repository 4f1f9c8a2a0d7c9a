// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockOptions;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.conformance.internal.actor.Waits;
import dev.interlock.conformance.internal.load.Load;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongLeases;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads on a correct lock, under faults. */
class LoadTest {
    private final MemoryHarness harness = new MemoryHarness(new WrongLock("correct"));
    private final FaultInjector faults = harness.faults().orElseThrow();
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final Recorder recorder = new Recorder();

    private Load load() {
        Load load = new Load(recorder).names("a", "b").threads(3);
        for (String client : List.of("client-1", "client-2")) {
            DistributedLockFactory factory = DistributedLocks.getInstance(
                    harness.provider(),
                    harness.config().toBuilder()
                            .commandTimeout(Duration.ofMillis(50))
                            .waitCeiling(Duration.ofMillis(20))
                            .build());
            factories.add(factory);
            load.client(client, factory);
        }
        return load;
    }

    @AfterEach
    void close() {
        faults.heal();
        factories.forEach(DistributedLockFactory::close);
    }

    private static void assertCorrect(List<Event> history) {
        Verdict verdict = new Checker(new Model(true, true)).check(history);
        assertThat(verdict.isValid()).as(verdict.toString()).isTrue();
    }

    private static void assertSome(List<Event> history, Predicate<Event> condition) {
        assertThat(history).anyMatch(condition);
    }

    @Test
    void aLoadOutlastsFaultsAndIsRecordedForWhatItWas() {
        // The styles that wait would outlast the faults.
        Load.Running running = load().styles(EnumSet.complementOf(EnumSet.copyOf(Load.WAITING)))
                .start();
        for (Fault fault : EnumSet.of(Fault.PAUSE, Fault.PARTITION, Fault.LOSE_NEXT_REPLY, Fault.CUT_CONNECTIONS)) {
            int before = running.grants();
            faults.inject(fault);
            if (fault == Fault.PAUSE || fault == Fault.PARTITION) {
                eventually(
                        "an answer is missed", () -> has(fault == Fault.PAUSE ? Event.Type.UNKNOWN : Event.Type.FAIL));
                faults.heal();
            }
            eventually("locks are granted", () -> running.grants() > before + 20);
        }
        List<Event> history = running.stop();
        assertCorrect(history);
        assertSome(history, event -> event.process().endsWith("#2"));
    }

    private boolean has(Event.Type type) {
        return recorder.events().stream()
                .anyMatch(it -> it.type() == type && it.error().equals(Optional.of("LockBackendException")));
    }

    @Test
    void leasesThatRunOutWhileTheyAreHeldAreNoOverlap() {
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(20))
                .renewal(false)
                .build();
        List<Event> history =
                load().options(options).hold(Duration.ofMillis(40)).rounds(10).run();
        assertCorrect(history);
        assertSome(history, event -> event.op() == Event.Op.LOST);
        assertSome(history, event -> event.validNanos().isPresent());
    }

    @Test
    void lossesOfRenewedLeasesCountFromWhereTheLeaseEnded() {
        LockOptions options =
                LockOptions.builder().lease(Duration.ofMillis(100)).build();
        Load.Running running =
                load().options(options).hold(Duration.ofMillis(500)).start();
        // A holder that releases the lock in time loses nothing, so one outage may not be enough.
        eventually("a lease is lost", () -> {
            int before = running.grants();
            eventually("locks are granted", () -> running.grants() > before);
            faults.inject(Fault.PARTITION);
            Waits.pass(Duration.ofMillis(150));
            faults.heal();
            return recorder.events().stream().anyMatch(it -> it.op() == Event.Op.LOST);
        });
        int before = running.grants();
        eventually("locks are granted", () -> running.grants() > before + 5);
        assertCorrect(running.stop());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLeaseThatIsLostWhileItsHolderReentersIsALoss(boolean afterwards) {
        WrongLock losing = WrongLeases.withLocks(
                "loses the lease in a re-entry",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public void lock() {
                        Optional<Lease> held = correct.lease();
                        if (afterwards) {
                            super.lock();
                        }
                        held.ifPresent(it -> eventually("the lease runs out", () -> !it.isValid()));
                        if (!afterwards) {
                            super.lock();
                        }
                    }
                });
        DistributedLockFactory factory =
                DistributedLocks.getInstance(new MemoryHarness(losing).provider(), harness.config());
        factories.add(factory);
        LockOptions options = LockOptions.builder()
                .lease(Duration.ofMillis(50))
                .renewal(false)
                .build();
        List<Event> history = new Load(recorder)
                .names("a")
                .client("client", factory)
                .threads(2)
                .styles(Load.BY_THREAD)
                .options(options)
                .reentering()
                .rounds(8)
                .run();
        assertCorrect(history);
        assertSome(
                history,
                event -> event.op() == Event.Op.ACQUIRE && event.error().equals(Optional.of("LeaseLostException")));
    }

    @Test
    void whatALockMayNotThrowEndsTheLoad() {
        Load load = load();
        factories.get(0).close();
        assertThatThrownBy(load.start()::await)
                .isInstanceOf(AssertionError.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }
}
