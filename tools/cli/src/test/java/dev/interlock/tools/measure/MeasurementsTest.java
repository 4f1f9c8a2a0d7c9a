// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.interlock.testservers.ChildJvmException;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.DistantBackend;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.ExternalBackend;
import dev.interlock.tools.backends.PlainClient;
import dev.interlock.tools.backends.TestStrategies;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.peers.BareLocks;
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.peers.Peers;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.RedissonMultiLock;
import org.springframework.beans.DirectFieldAccessor;

public class MeasurementsTest {
    private static final Effort SHORT = new Effort(
            "short",
            Duration.ofMillis(100),
            Duration.ofMillis(700),
            Duration.ofMillis(300),
            Duration.ofMillis(500),
            Duration.ofMillis(300),
            50,
            500);

    private static Backend backend;
    private Set<Long> childrenBefore;

    @BeforeAll
    static void startRedis() {
        backend = EmbeddedBackend.start(1);
    }

    @AfterAll
    static void stopRedis() {
        backend.close();
    }

    @BeforeEach
    void lookAtChildren() {
        childrenBefore = children();
    }

    @AfterEach
    void noProcessIsLeft() {
        assertThat(children()).isEqualTo(childrenBefore);
    }

    public static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {TestStrategies.WORKING, "set-nx-px"})
    void aLockThatWorksLosesNoUpdate(String strategy) {
        GuardedCounter.Result result = new GuardedCounter(SHORT).measure(subject(strategy));

        assertThat(result.expected()).isPositive();
        assertThat(result.actual()).isEqualTo(result.expected());
        assertThat(result.correct()).isTrue();
    }

    @Test
    void aLockThatExcludesNobodyLosesUpdates() {
        GuardedCounter.Result result = new GuardedCounter(SHORT).measure(subject(TestStrategies.BROKEN));

        assertThat(result.lost()).isPositive();
        assertThat(result.correct()).isFalse();
    }

    @Test
    void whatAWorkerReportsWhenItFailsIsPassedOn() {
        assertThatExceptionOfType(ChildJvmException.class)
                .isThrownBy(() -> new GuardedCounter(SHORT).measure(subject(TestStrategies.FAILING)))
                .withMessageContainingAll("a child process ended too early", "the test wants it so");
    }

    @Test
    void aWorkerEndsWhenItsParentIsGone() throws Exception {
        WorkerProcess worker = WorkerProcess.start(new WorkerProcess.Task(
                TestStrategies.WORKING,
                Map.of(),
                backend.endpoints(),
                MeasuredStrategy.newName("guard"),
                MeasuredStrategy.newName("counter"),
                1,
                60_000));
        try {
            worker.awaitReady();
            worker.go();
            worker.hangUp();
            assertThat(worker.awaitEnd(Duration.ofSeconds(30))).isTrue();
        } finally {
            worker.close();
        }
    }

    @Test
    void anUncontendedPairIsTimedAndItsCommandsAreCounted() {
        UncontendedPair.Result result = new UncontendedPair(SHORT).measure(subject(TestStrategies.WORKING));

        assertThat(result.pairs()).isPositive();
        assertThat(result.p50Millis()).isPositive().isLessThanOrEqualTo(result.p99Millis());
        assertThat(result.pairsPerSecond()).isPositive();
        assertThat(result.commandsPerPair()).isEqualTo(2.0);
    }

    @Test
    void contendersOfOneClientAndOfSeveralHandTheLockOn() {
        for (Contention contention : List.of(new Contention(SHORT, 1, 3), new Contention(SHORT, 3, 1))) {
            Contention.Result result = contention.measure(subject(TestStrategies.WORKING));
            // On a busy machine, no thread may have its turn in so short a time.
            for (int i = 0; i < 5 && result.handOffsPerSecond() == 0; i++) {
                result = contention.measure(subject(TestStrategies.WORKING));
            }

            assertThat(result.handOffsPerSecond()).isPositive().isLessThanOrEqualTo(result.acquisitionsPerSecond());
            assertThat(result.commandsPerAcquisition()).isGreaterThanOrEqualTo(2.0);
            assertThat(result.fairness()).isBetween(1.0 / 3, 1.0);
            assertThat(result.leastShare()).isBetween(0.0, 1.0);
        }
    }

    @Test
    void heldLocksTakeMemoryOfTheServers() {
        Footprint.Result result = new Footprint(SHORT).measure(subject(TestStrategies.WORKING));

        assertThat(result.serverBytesPerLock()).isPositive();
        assertThat(result.allocatedBytesPerPair()).isPositive();
        assertThat(result.heapNoiseBytesPerLock()).isNotNegative();
    }

    /** Buffers of connections come and go by more than the keys of all locks take. */
    @Test
    void theMemoryOfTheServersIsThatOfTheKeysAlone() {
        try (EmbeddedBackend server = EmbeddedBackend.start(1);
                PlainClient client = PlainClient.to(server.endpoints(), "a")) {
            long empty = server.keyMemory().orElseThrow();
            client.incrementUnguarded("a");
            long one = server.keyMemory().orElseThrow();
            client.delete("a");

            assertThat(empty).isZero();
            assertThat(one).isBetween(1L, 200L);
            assertThat(server.keyMemory()).hasValue(empty);
        }
    }

    /** Its adapter here has an object for each grant, and each lock of each server has a proxy. */
    @Test
    @Tag("deep")
    void theLockOfAnotherLibraryIsMeasuredWithoutItsAdapter() {
        for (PeerProvider peer : Peers.all()) {
            try (EmbeddedBackend servers =
                            EmbeddedBackend.start(peer.profile().servers().usual());
                    BareLocks locks = MeasuredStrategy.openBare(peer.name(), Map.of(), servers.endpoints())) {
                Object lock = locks.bareLock(MeasuredStrategy.newName("bare"));
                Object held = locks.acquireBare(lock);
                locks.releaseBare(held);

                assertThat(held.getClass().getName()).doesNotContain("interlock");
                assertThat(lock.getClass().getName()).doesNotContain("interlock");
                if (lock instanceof RedissonMultiLock parts) {
                    assertThat((List<?>) new DirectFieldAccessor(parts).getPropertyValue("locks"))
                            .hasSize(5)
                            .allSatisfy(part -> assertThat(Proxy.isProxyClass(part.getClass()))
                                    .isFalse());
                }
            }
        }
    }

    @Test
    void aHeapIsMeasuredOnlyIfItIsAboveTheNoise() {
        Footprint footprint = new Footprint(SHORT);

        Footprint.Result clear = footprint.result(List.of(turn(1_000, 80), turn(1_040, 82), turn(1_020, 81)), 10, 1);
        Footprint.Result noisy = footprint.result(List.of(turn(-300, 80), turn(400, 82), turn(20, 81)), 10, 1);
        Footprint.Result drifting = footprint.result(List.of(turn(100, 80), turn(100, 82), turn(100, 81)), 500, 1);

        assertThat(clear).isEqualTo(new Footprint.Result(500, 1_020, 81.0, 1, 20.0));
        assertThat(clear.isHeapMeasured()).isTrue();
        assertThat(noisy).isEqualTo(new Footprint.Result(500, 20, 81.0, 1, 350.0));
        assertThat(noisy.isHeapMeasured()).isFalse();
        assertThat(drifting.isHeapMeasured()).isFalse();
    }

    private static Footprint.Turn turn(double heap, double servers) {
        return new Footprint.Turn(heap, servers);
    }

    @Test
    void aFewPairsCountTheCommandsOverANetwork() {
        assertThat(Effort.NORMAL.ofOneAmongMany().countedPairs()).isEqualTo(50);
        assertThat(SHORT.ofOneAmongMany().countedPairs()).isEqualTo(5);
    }

    @Test
    void aNetworkAddsItsRoundTripToEachCommand() {
        try (Backend distant = new DistantBackend((EmbeddedBackend) backend, Duration.ofMillis(10))) {
            UncontendedPair.Result result =
                    new UncontendedPair(SHORT).measure(new MeasuredStrategy(TestStrategies.WORKING, Map.of(), distant));

            assertThat(result.p50Millis()).isGreaterThanOrEqualTo(20);
        }
    }

    @Test
    void theCommandsOfExternalServersAreCountedByTheirStatistics() {
        try (Backend external = new ExternalBackend(List.of(URI.create(backend.endpoints())), 1)) {
            UncontendedPair.Result result = new UncontendedPair(SHORT)
                    .measure(new MeasuredStrategy(TestStrategies.WORKING, Map.of(), external));

            assertThat(result.commandsPerPair()).isEqualTo(2.0);
        }
    }

    @Test
    void aStrategyThatNeedsMoreServersThanAreNamedSaysSo() {
        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> new ExternalBackend(List.of(URI.create("redis://a")), 5))
                .withMessage(
                        "it needs 5 servers and --redis names 1: name more, or leave --redis out to use embedded ones");
    }

    @Test
    void severalServersAreStartedForAStrategyThatNeedsThem() {
        try (Backend several = EmbeddedBackend.start(3)) {
            assertThat(several.endpoints().split(",")).hasSize(3).doesNotHaveDuplicates();
            assertThat(several.commands(() -> {
                        for (String uri : several.endpoints().split(",")) {
                            try (PlainClient client = PlainClient.to(uri, "a")) {
                                client.incrementUnguarded("a");
                            }
                        }
                    }))
                    .isGreaterThanOrEqualTo(6);
        }
    }

    private static MeasuredStrategy subject(String strategy) {
        return new MeasuredStrategy(strategy, Map.of(), backend);
    }
}
