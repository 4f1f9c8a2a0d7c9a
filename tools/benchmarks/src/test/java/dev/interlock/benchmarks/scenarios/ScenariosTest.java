// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.interlock.benchmarks.Benchmark;
import dev.interlock.benchmarks.Conditions;
import dev.interlock.benchmarks.EngineBenchmark;
import dev.interlock.benchmarks.Outcome;
import dev.interlock.benchmarks.Renderer;
import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.benchmarks.candidates.JedisOpener;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Opener;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** Each scenario with each candidate, small and short: whether there are figures, not which. */
@Execution(ExecutionMode.CONCURRENT)
class ScenariosTest {
    private static final Sizes SMALL = new Sizes(
            Duration.ofMillis(60),
            Duration.ofSeconds(6),
            4,
            8,
            2,
            2,
            4,
            20,
            40,
            10,
            Duration.ofMillis(100),
            Duration.ZERO,
            Duration.ofMillis(500));

    /** Scenarios that differ from another one by their size alone. */
    private static final Set<String> LARGER = Set.of("very-many-held-locks", "very-many-virtual-threads");

    private static final Duration ROUND_TRIP = Duration.ofMillis(4);

    /** Options make other figures, not other ways to get them, so that one scenario with them is enough. */
    static Stream<Arguments> scenariosAndCandidates() {
        return Scenarios.all(SMALL).stream()
                .filter(scenario -> scenario.objection().isEmpty() && !LARGER.contains(scenario.name()))
                .flatMap(scenario -> Candidates.all().stream()
                        .filter(scenario::suits)
                        .filter(candidate -> scenario.name().equals("one-thread")
                                || !candidate.name().contains("="))
                        .map(candidate -> arguments(scenario, named(candidate.name(), candidate))));
    }

    /** Another class of tests, which runs beside this one, may have some for a while. */
    @AfterAll
    static void noProcessIsLeft() throws Exception {
        CompletableFuture.allOf(ProcessHandle.current()
                        .children()
                        .map(ProcessHandle::onExit)
                        .toArray(CompletableFuture[]::new))
                .get(1, TimeUnit.MINUTES);
    }

    /**
     * One scenario of threads with names of their own, and one of threads that contend; the candidates as they come.
     */
    static Stream<Arguments> twoScenarios() {
        return scenariosAndCandidates()
                .filter(each -> List.of("one-thread", "one-name").contains(each.get()[0].toString()))
                .filter(each -> !each.get()[1].toString().contains("="));
    }

    @ParameterizedTest
    @MethodSource("twoScenarios")
    void aCandidateYieldsFiguresAndLosesNoUpdate(Scenario scenario, Candidate candidate) {
        assertYieldsFigures(scenario, candidate);
    }

    @ParameterizedTest
    @MethodSource("scenariosAndCandidates")
    @Tag("deep")
    void everyCandidateYieldsFiguresInEveryScenario(Scenario scenario, Candidate candidate) {
        assertYieldsFigures(scenario, candidate);
    }

    private static void assertYieldsFigures(Scenario scenario, Candidate candidate) {
        Outcome outcome = measure(scenario, List.of(candidate));

        assertThat(outcome.problems()).isEmpty();
        assertThat(scenario.metrics())
                .allSatisfy(metric ->
                        assertThat(outcome.sample(candidate, metric).median()).isNotNaN());
    }

    @Test
    void aNetworkAddsItsRoundTripToEveryCommandAndCommandsAreCountedAtTheServerAllTheSame() {
        assertGoesThroughTheProxy("raw-jedis", Topology.SINGLE_SERVERS);
    }

    /** One for each library, and redlock for its many servers. */
    @ParameterizedTest
    @CsvSource({
        "SINGLE_SERVERS, redisson-redlock",
        "SENTINELS, raw-jedis",
        "SENTINELS, raw-lettuce",
        "SENTINELS, redisson-rlock",
        "SENTINELS, redisson",
        "SENTINELS, spring-spin",
        "SENTINELS, set-nx-px/jedis",
        "CLUSTER, raw-jedis",
        "CLUSTER, raw-lettuce",
        "CLUSTER, redisson-rlock",
        "CLUSTER, redisson",
        "CLUSTER, spring-spin",
        "CLUSTER, set-nx-px/lettuce"
    })
    @Tag("deep")
    void everyLibraryIsLedThroughTheProxyInEveryTopology(Topology topology, String candidate) {
        assertGoesThroughTheProxy(candidate, topology);
    }

    /** Of these, a waiter learns of a release by a message. */
    @ParameterizedTest
    @ValueSource(strings = {"set-nx-px/jedis", "set-nx-px/lettuce", "redisson-rlock", "spring-pubsub"})
    @Tag("deep")
    void messagesToWaitersPassTheProxyToo(String name) {
        Candidate candidate = candidate(name);

        Outcome outcome = measure(
                Throughput.oneNameOfClients("test", Duration.ofMillis(200), 3),
                List.of(candidate),
                new Setting(Topology.SINGLE_SERVERS, ROUND_TRIP));

        assertThat(outcome.problems()).isEmpty();
        assertThat(outcome.sample(candidate, Metric.P50_MICROS).median())
                .as("the lock is asked for at the server, which answers or sends a message")
                .isGreaterThanOrEqualTo(ROUND_TRIP.toNanos() / 1e3);
    }

    private static Candidate candidate(String name) {
        return Candidates.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void assertGoesThroughTheProxy(String name, Topology topology) {
        Candidate candidate = candidate(name);

        Outcome outcome = measure(
                Throughput.ownNames("test", Duration.ofMillis(100), 1),
                List.of(candidate),
                new Setting(topology, ROUND_TRIP));

        assertThat(outcome.problems()).isEmpty();
        assertThat(outcome.sample(candidate, Metric.P50_MICROS).median())
                .as("one command to lock and one to unlock")
                .isGreaterThanOrEqualTo(2 * ROUND_TRIP.toNanos() / 1e3);
        assertThat(outcome.sample(candidate, Metric.COMMANDS).median()).isGreaterThanOrEqualTo(1);
        assertThat(outcome.sample(candidate, Metric.REDIS_MICROS).median()).isPositive();
    }

    @Test
    void noScenarioIsLeftWithoutCandidates() {
        assertThat(Scenarios.all(SMALL))
                .allSatisfy(scenario -> assertThat(Candidates.all()).anyMatch(scenario::suits));
    }

    private static Outcome measure(Scenario scenario, List<Candidate> candidates) {
        return measure(scenario, candidates, Setting.PLAIN);
    }

    private static Outcome measure(Scenario scenario, List<Candidate> candidates, Setting setting) {
        try (Network network = Network.of(List.of(setting))) {
            return new Benchmark(List.of(scenario), candidates, List.of(setting), 1)
                    .run(network, Progress.none())
                    .get(0);
        }
    }

    @Test
    void aCandidateThatLosesUpdatesIsOutOfTheTableAndNamed() {
        Candidate broken = candidate(
                "broken", (endpoints, terms, options) -> new LockClient(name -> new ReentrantLock(), () -> {}));
        Candidate sound = candidate("sound", (endpoints, terms, options) -> {
            ReentrantLock lock = new ReentrantLock();
            return new LockClient(name -> lock, () -> {});
        });
        Scenario scenario = Throughput.oneName("test", Duration.ofMillis(200), 4);
        Scenario severalClients = Throughput.oneNameOfClients("test", Duration.ofMillis(200), 4);

        assertThat(measure(scenario, List.of(sound)).problems()).isEmpty();
        Outcome outcome = measure(severalClients, List.of(broken));

        assertThat(outcome.lostUpdates()).isTrue();
        assertThat(outcome.candidates()).isEmpty();
        assertThat(outcome.problems().get(broken)).contains("two holders in at once");
        assertThat(Renderer.markdown(List.of(outcome), new Conditions(1, 1, List.of(), List.of(), false)))
                .contains("**FAILED: broken lost ");
    }

    @Test
    void exceptionsAreCountedAndShownAndTheCandidateGoesOn() {
        Candidate failing = candidate("failing", (endpoints, terms, options) -> {
            AtomicInteger calls = new AtomicInteger();
            return new LockClient(
                    name -> new ReentrantLock() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        public void lock() {
                            if (calls.incrementAndGet() % 2 == 0) {
                                throw new IllegalStateException("too many\nof them");
                            }
                            super.lock();
                        }
                    },
                    () -> {});
        });

        Outcome outcome = measure(Throughput.ownNames("test", Duration.ofMillis(100), 2), List.of(failing));

        assertThat(outcome.problems()).isEmpty();
        assertThat(outcome.sample(failing, Metric.EXCEPTIONS).median()).isPositive();
        assertThat(outcome.sample(failing, Metric.PAIRS_PER_SECOND).median()).isPositive();
        assertThat(Renderer.markdown(List.of(outcome), new Conditions(1, 1, List.of(), List.of(), false)))
                .contains("The first exception of failing: java.lang.IllegalStateException: too many of them\n");
    }

    @Test
    void whatTheHolderSendsIsCountedApartFromWhatTheWaiterSends() {
        Candidate polling = candidate("polling", new JedisOpener());

        Outcome outcome = measure(new OneWaiter(Duration.ZERO, Duration.ofMillis(500)), List.of(polling));

        assertThat(outcome.problems()).isEmpty();
        assertThat(outcome.sample(polling, Metric.COMMANDS_PER_SECOND).median()).isPositive();
        assertThat(outcome.sample(polling, Metric.HOLDER_COMMANDS_PER_SECOND).median())
                .isZero();
    }

    @Test
    void aClientThatWasIdleYieldsFigures() {
        assertYieldsFigures(new IdlePair(Duration.ofMillis(50), Duration.ofMillis(200)), candidate("raw-jedis"));
    }

    @Test
    void aLockThatWaitsForAllServersWaitsForTheOneThatIsThrottled() {
        Candidate patient = new Candidate(
                "patient",
                Candidate.Kind.PEER,
                2,
                (endpoints, terms, options) -> {
                    List<Jedis> servers = endpoints.stream().map(Jedis::new).toList();
                    return new LockClient(
                            name -> new ReentrantLock() {
                                private static final long serialVersionUID = 1L;

                                @Override
                                public void lock() {
                                    servers.forEach(Jedis::ping);
                                    super.lock();
                                }
                            },
                            () -> servers.forEach(Jedis::close));
                },
                Map.of(),
                List.of(),
                Map.of());

        Outcome outcome = measure(new ThrottledServer(Duration.ofMillis(60)), List.of(patient));

        assertThat(outcome.problems()).isEmpty();
        // Each turn begins when the server has just stopped for 225 ms.
        assertThat(outcome.sample(patient, Metric.MAX_MICROS).median()).isGreaterThan(100_000);
        assertThat(outcome.sample(patient, Metric.TIMES_HEALTHY).median()).isPositive();
    }

    @Test
    void theTokenListTakesPartInHandOversAlone() {
        Candidate tokenList = candidate(Candidates.TOKEN_LIST);

        assertThat(Scenarios.all(SMALL).stream()
                        .filter(scenario -> scenario.suits(tokenList))
                        .map(Scenario::name))
                .containsExactly("one-name", "one-name-clients", "one-name-clients-threads", "hand-off");
    }

    private static Candidate candidate(String name, Opener opener) {
        return new Candidate(name, Candidate.Kind.PEER, 1, opener, Map.of(), List.of(), Map.of());
    }

    @Test
    void theEngineAloneTakesItsLocks() {
        EngineBenchmark engine = new EngineBenchmark();
        try {
            engine.pair();
            engine.pairWithReentry();
            engine.contendedPair();
        } finally {
            engine.close();
        }
    }
}
