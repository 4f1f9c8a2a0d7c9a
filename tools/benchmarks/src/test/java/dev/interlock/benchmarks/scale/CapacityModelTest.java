// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CapacityModelTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final ServerLimits LIMITS = new ServerLimits(0.5, 1_000_000, 600);

    private static final GrowthRow HELD = row(
            GrowthLoad.HELD,
            10_000,
            Map.of(
                    GrowthMetric.RENEWAL_MICROS,
                    2.0,
                    GrowthMetric.PAIR_MICROS,
                    50.0,
                    GrowthMetric.SERVER_BYTES,
                    250.0,
                    GrowthMetric.SERVER_BYTES_LEFT,
                    100.0));
    private static final GrowthRow WAITERS =
            row(GrowthLoad.WAITERS_OWN_NAMES, 1_000, Map.of(GrowthMetric.WAITING_MICROS, 600.0));
    private static final GrowthRow OWN_NAMES = row(
            GrowthLoad.CLIENTS_OWN_NAMES,
            4,
            Map.of(GrowthMetric.RATE, 8_000.0, GrowthMetric.PAIR_MICROS, 60.0, GrowthMetric.CONNECTIONS, 1.0));
    private static final GrowthRow ONE_NAME = row(
            GrowthLoad.CLIENTS_ONE_NAME,
            4,
            Map.of(GrowthMetric.RATE, 4_000.0, GrowthMetric.HAND_OFF_MICROS, 100.0, GrowthMetric.CONNECTIONS, 2.0));

    private static GrowthRow row(GrowthLoad load, int size, Map<GrowthMetric, Double> values) {
        return row(Topology.SINGLE_SERVERS, 1, load, size, values);
    }

    private static GrowthRow row(
            Topology topology, int primaries, GrowthLoad load, int size, Map<GrowthMetric, Double> values) {
        return new GrowthRow("some", "", topology, primaries, load, size, LEASE, values);
    }

    private static CapacityModel model(GrowthRow... more) {
        return new CapacityModel(
                UnitCosts.of(Stream.concat(Stream.of(HELD, WAITERS, OWN_NAMES, ONE_NAME), Stream.of(more))
                        .toList()));
    }

    private static Map<String, Capacity> byLoad(CapacityModel model, int primaries) {
        return model.capacities(primaries, LEASE, LIMITS).stream()
                .collect(Collectors.toMap(Capacity::load, capacity -> capacity));
    }

    @Test
    void oneServerCarriesWhatItsProcessorMemoryAndConnectionsAllow() {
        Map<String, Capacity> found = byLoad(model(), 1);

        assertThat(found.get("pairs/s on names of their own").amount()).isCloseTo(10_000, within(1.0));
        assertThat(found.get("names held, lease 30.0 s, all by one client").amount())
                .as("half a core carries 250,000 renewals a second, one of each name in ten seconds")
                .isCloseTo(2_500_000, within(1.0));
        assertThat(found.get("names held, any lease").amount()).isCloseTo(4_000, within(0.01));
        assertThat(found.get("different names used within a day").amount()).isCloseTo(10_000, within(0.01));
        assertThat(found.get("threads that wait, each for a name of its own").amount())
                .isCloseTo(50_000, within(1.0));
        assertThat(found.get("client JVMs").amount())
                .as("those that wait have two connections")
                .isEqualTo(300);
    }

    @Test
    void morePrimariesCarryMoreNamesButNoMoreHandOffsOnOneNameAndNoMoreClients() {
        CapacityModel cluster = new CapacityModel(UnitCosts.of(List.of(
                row(
                        Topology.CLUSTER,
                        3,
                        GrowthLoad.HELD,
                        10_000,
                        Map.of(GrowthMetric.PAIR_MICROS, 50.0, GrowthMetric.SERVER_BYTES, 0.25)),
                row(Topology.CLUSTER, 3, GrowthLoad.CLIENTS_ONE_NAME, 4, ONE_NAME.values()))));
        Map<String, Capacity> six = byLoad(cluster, 3);
        Map<String, Capacity> hundred = byLoad(cluster, 50);

        assertThat(hundred.get("pairs/s on names of their own").amount()).isCloseTo(500_000, within(1.0));
        assertThat(six.get("pairs/s on names of their own").amount()).isCloseTo(30_000, within(1.0));
        assertThat(hundred.get("names held, any lease").amount())
                .as("the fullest primary has more than its part")
                .isBetween(50 * 3_990_000.0, 50 * 4_000_000.0);
        assertThat(hundred.get("hand-offs/s on one name"))
                .isEqualTo(six.get("hand-offs/s on one name"))
                .satisfies(chain -> {
                    assertThat(chain.amount()).isEqualTo(4_000);
                    assertThat(chain.limit()).startsWith("latency");
                });
        assertThat(hundred.get("client JVMs")).isEqualTo(six.get("client JVMs"));
    }

    @Test
    void aLockOverFiveServersNeedsAllOfThemForEachPair() {
        CapacityModel redlock = new CapacityModel(UnitCosts.of(List.of(
                row(Topology.SINGLE_SERVERS, 5, GrowthLoad.HELD, 10_000, Map.of(GrowthMetric.PAIR_MICROS, 250.0)),
                row(
                        Topology.SINGLE_SERVERS,
                        5,
                        GrowthLoad.CLIENTS_ONE_NAME,
                        4,
                        Map.of(GrowthMetric.HAND_OFF_MICROS, 1_000.0, GrowthMetric.RATE, 9_000.0)))));
        Map<String, Capacity> found = byLoad(redlock, 5);

        assertThat(found.get("pairs/s on names of their own").amount()).isCloseTo(10_000, within(1.0));
        assertThat(found.get("hand-offs/s on one name"))
                .isEqualTo(new Capacity("hand-offs/s on one name", 2_500, "server CPU"));
    }

    @Test
    void theFullestOfManyPrimariesIsFullWhenTheOthersAreNotYet() {
        assertThat(CapacityModel.balanced(10_000, 1)).isCloseTo(10_000, within(1e-6));

        double names = CapacityModel.balanced(10_000, 50);
        double average = names / 50;

        assertThat(average).isLessThan(10_000);
        assertThat(average + Math.sqrt(2 * average * Math.log(50))).isCloseTo(10_000, within(1e-6));
    }

    @Test
    void aLargerRowIsPredictedFromTheSmallerOneAndTheErrorIsThatOfTheModel() {
        GrowthRow larger = row(
                GrowthLoad.HELD,
                100_000,
                Map.of(GrowthMetric.SERVER_CPU, 4.0, GrowthMetric.PAIR_MICROS, 40.0, GrowthMetric.SERVER_BYTES, 200.0));
        CapacityModel model = model(larger);

        assertThat(model.predictions(HELD)).as("costs are taken from it").isEmpty();
        assertThat(model.predictions(larger))
                .containsExactly(
                        new CapacityModel.Prediction(GrowthMetric.SERVER_CPU, 2.0, 4.0),
                        new CapacityModel.Prediction(GrowthMetric.PAIR_MICROS, 50.0, 40.0),
                        new CapacityModel.Prediction(GrowthMetric.SERVER_BYTES, 250.0, 200.0));
        assertThat(model.predictions(larger).get(0).error()).isCloseTo(-0.5, within(1e-9));
    }

    @Test
    void moreClientsOnOneNameWaitLongerAndAreServedNoFaster() {
        GrowthRow more = row(
                GrowthLoad.CLIENTS_ONE_NAME,
                17,
                Map.of(GrowthMetric.RATE, 5_000.0, GrowthMetric.SERVER_CPU, 50.0, GrowthMetric.ACQUIRE_P50, 5_000.0));

        assertThat(model(more).predictions(more))
                .containsExactly(
                        new CapacityModel.Prediction(GrowthMetric.SERVER_CPU, 50.0, 50.0),
                        new CapacityModel.Prediction(GrowthMetric.RATE, 4_000.0, 5_000.0),
                        new CapacityModel.Prediction(GrowthMetric.ACQUIRE_P50, 4_000.0, 5_000.0));
    }

    @Test
    void costsAreTakenFromTheSmallestRowThatIsLargeEnoughOrElseTheLargest() {
        GrowthRow small = row(GrowthLoad.HELD, 100, Map.of());
        GrowthRow medium = row(GrowthLoad.HELD, 1_000, Map.of());

        assertThat(UnitCosts.of(List.of(medium, small)).isBasis(medium)).isTrue();
        assertThat(UnitCosts.of(List.of(small, HELD, medium)).isBasis(HELD)).isTrue();
    }
}
