// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.LockConfig;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.MeasuredStrategy;
import dev.interlock.tools.measure.RoundTrip;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.peers.PeerCard;
import dev.interlock.tools.peers.PeerProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The findings about one strategy. Parts after a failure are missing.
 *
 * @param name the name of the strategy
 * @param peer whose it is, if it is the lock of another library; missing if it is ours
 * @param options all its options and their values, those that were left at their defaults too; none in reports of
 *     former versions
 * @param summary its algorithm in a sentence
 * @param purpose what to take it for, as it follows the word "to"; missing in reports of former versions
 * @param servers how many servers it wants; missing in reports of former versions
 * @param capabilities what it promises
 * @param assumptions what it takes for granted
 * @param redis its servers, without passwords
 * @param redisVersion the version of the first server
 * @param counting how commands were counted
 * @param guardedCounter the outcome for the number that processes share; of several runs the one that lost most
 * @param uncontended what a lock costs that nobody else wants; of several runs the median one by its rate
 * @param uncontendedRuns all runs of that
 * @param contended what contenders achieve, in several settings; of several runs the median one by its rate
 * @param contendedRuns all runs of that
 * @param growth what more and more clients achieve, of several runs the median one by its rate; empty where that was
 *     not asked for
 * @param roundTrips what a lock costs over networks, of several runs the median one by its rate; empty where that was
 *     not asked for
 * @param footprint the memory that locks take; of several runs the median one by the client's heap
 * @param conformance which rules of the contract it keeps; also missing where that was not asked for
 * @param failure why the rest is missing
 * @param guardedCounterRuns all runs of the number that processes share; one in reports of former versions
 * @param growthRuns all runs with more and more clients; one of each in reports of former versions
 * @param roundTripRuns all runs over networks; one of each in reports of former versions
 * @param footprintRuns all measurements of memory; one in reports of former versions
 */
public record StrategyReport(
        String name,
        @Nullable PeerCard peer,
        Map<String, String> options,
        String summary,
        @Nullable String purpose,
        @Nullable ServerNeeds servers,
        Set<Capability> capabilities,
        Set<Assumption> assumptions,
        List<String> redis,
        @Nullable String redisVersion,
        Backend.@Nullable Counting counting,
        GuardedCounter.@Nullable Result guardedCounter,
        UncontendedPair.@Nullable Result uncontended,
        List<UncontendedPair.Result> uncontendedRuns,
        List<Contention.Result> contended,
        List<Contention.Result> contendedRuns,
        List<Contention.Result> growth,
        List<RoundTrip> roundTrips,
        Footprint.@Nullable Result footprint,
        @Nullable ConformanceResult conformance,
        @Nullable String failure,
        List<GuardedCounter.Result> guardedCounterRuns,
        List<Contention.Result> growthRuns,
        List<RoundTrip> roundTripRuns,
        List<Footprint.Result> footprintRuns) {

    /** Fills in what is missing where the report of a former version was read. */
    public StrategyReport {
        options = Objects.requireNonNullElse(options, Map.of());
        guardedCounterRuns = Objects.requireNonNullElse(guardedCounterRuns, one(guardedCounter));
        growthRuns = Objects.requireNonNullElse(growthRuns, growth);
        roundTripRuns = Objects.requireNonNullElse(roundTripRuns, roundTrips);
        footprintRuns = Objects.requireNonNullElse(footprintRuns, one(footprint));
    }

    private static <R> List<R> one(@Nullable R result) {
        return result == null ? List.of() : List.of(result);
    }

    /** Returns whether it is one of ours, which must keep the whole contract. */
    public boolean ours() {
        return peer == null;
    }

    /** All runs of a setting of contenders. */
    List<Contention.Result> runsOf(Contention.Result setting) {
        return ofSetting(contendedRuns, setting);
    }

    /** All runs of a setting of more and more clients. */
    List<Contention.Result> growthRunsOf(Contention.Result setting) {
        return ofSetting(growthRuns, setting);
    }

    /** All runs over the network with a round trip. */
    List<RoundTrip> roundTripRunsOf(RoundTrip setting) {
        return roundTripRuns.stream()
                .filter(run -> run.millis() == setting.millis())
                .toList();
    }

    private static List<Contention.Result> ofSetting(List<Contention.Result> runs, Contention.Result setting) {
        return runs.stream().filter(run -> isOfSetting(run, setting)).toList();
    }

    private static boolean isOfSetting(Contention.Result run, Contention.Result setting) {
        return run.clients() == setting.clients() && run.threadsPerClient() == setting.threadsPerClient();
    }

    public boolean lostUpdates() {
        return guardedCounter != null && !guardedCounter.correct();
    }

    public boolean breaksRules() {
        return conformance != null && conformance.broken();
    }

    /** Collects results as they come. */
    public static final class Builder {
        private final String name;
        private final @Nullable PeerCard peer;
        private final Map<String, String> options;
        private final StrategyProfile profile;
        private List<String> redis = List.of();
        private @Nullable String redisVersion;
        private Backend.@Nullable Counting counting;
        private final List<GuardedCounter.Result> guardedCounter = new ArrayList<>();
        private final List<UncontendedPair.Result> uncontended = new ArrayList<>();
        private final List<Contention.Result> contended = new ArrayList<>();
        private final List<Contention.Result> growth = new ArrayList<>();
        private final List<RoundTrip> roundTrips = new ArrayList<>();
        private final List<Footprint.Result> footprint = new ArrayList<>();
        private final List<ConformanceResult> conformance = new ArrayList<>();
        private @Nullable String failure;

        public Builder(LockStrategyProvider provider) {
            this(ConfiguredStrategy.of(provider, Map.of()));
        }

        public Builder(ConfiguredStrategy strategy) {
            LockStrategyProvider provider = strategy.provider();
            name = provider.name();
            peer = provider instanceof PeerProvider other ? other.card() : null;
            options = provider instanceof PeerProvider other
                    ? other.configuration(MeasuredStrategy.terms())
                    : strategy.effectiveOptions();
            profile = provider.profile();
        }

        public void redis(Backend backend) {
            redis = LockConfig.of(backend.endpoints()).endpoints().stream()
                    .map(LockConfig::mask)
                    .toList();
            redisVersion = backend.redisVersion();
            counting = backend.counting();
        }

        public void guardedCounter(GuardedCounter.Result result) {
            guardedCounter.add(result);
        }

        public void uncontended(UncontendedPair.Result result) {
            uncontended.add(result);
        }

        public void contended(Contention.Result result) {
            contended.add(result);
        }

        public void growth(Contention.Result result) {
            growth.add(result);
        }

        public void roundTrip(RoundTrip result) {
            roundTrips.add(result);
        }

        public void footprint(Footprint.Result result) {
            footprint.add(result);
        }

        public void conformance(ConformanceResult result) {
            conformance.add(result);
        }

        public void failure(String message) {
            failure = message;
        }

        public boolean hasFailed() {
            return failure != null;
        }

        private static <R> @Nullable R median(List<R> runs, ToDoubleFunction<R> rate) {
            return runs.isEmpty()
                    ? null
                    : runs.stream()
                            .sorted(Comparator.comparingDouble(rate))
                            .toList()
                            .get(runs.size() / 2);
        }

        private static List<Contention.Result> medians(List<Contention.Result> runs) {
            return medians(
                    runs,
                    run -> List.of(run.clients(), run.threadsPerClient()),
                    Contention.Result::acquisitionsPerSecond);
        }

        /** Returns the median run of each setting. */
        private static <R> List<R> medians(List<R> runs, Function<R, Object> setting, ToDoubleFunction<R> rate) {
            Map<Object, List<R>> bySetting = new LinkedHashMap<>();
            runs.forEach(run -> bySetting
                    .computeIfAbsent(setting.apply(run), key -> new ArrayList<>())
                    .add(run));
            List<R> medians = new ArrayList<>();
            bySetting.values().forEach(ofSetting -> medians.add(Objects.requireNonNull(median(ofSetting, rate))));
            return List.copyOf(medians);
        }

        private GuardedCounter.@Nullable Result worstCounter() {
            return guardedCounter.stream()
                    .max(Comparator.comparingLong(GuardedCounter.Result::lost))
                    .orElse(null);
        }

        public StrategyReport build() {
            return new StrategyReport(
                    name,
                    peer,
                    options,
                    profile.summary(),
                    profile.purpose(),
                    profile.servers(),
                    profile.capabilities(),
                    profile.assumptions(),
                    redis,
                    redisVersion,
                    counting,
                    worstCounter(),
                    median(uncontended, UncontendedPair.Result::pairsPerSecond),
                    List.copyOf(uncontended),
                    medians(contended),
                    List.copyOf(contended),
                    medians(growth),
                    medians(
                            roundTrips,
                            RoundTrip::millis,
                            run -> run.uncontended().pairsPerSecond()),
                    median(footprint, Footprint.Result::heapBytesPerLock),
                    conformance.isEmpty() ? null : ConformanceResult.ofRounds(conformance),
                    failure,
                    List.copyOf(guardedCounter),
                    List.copyOf(growth),
                    List.copyOf(roundTrips),
                    List.copyOf(footprint));
        }
    }
}
