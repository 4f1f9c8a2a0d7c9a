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
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.UncontendedPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was found of one strategy. What comes after a failure is missing.
 *
 * @param name the name of the strategy
 * @param options all its options and their values, those that were left at their defaults too
 * @param summary its algorithm in a sentence
 * @param purpose what to take it for, as it follows the word "to"; missing in reports of former versions
 * @param servers how many servers it wants; missing in reports of former versions
 * @param capabilities what it promises
 * @param assumptions what it takes for granted
 * @param redis its servers, without passwords
 * @param redisVersion the version of the first server
 * @param counting how commands were counted
 * @param guardedCounter what became of the number that processes share
 * @param uncontended what a lock costs that nobody else wants
 * @param contended what contenders achieve, in several settings
 * @param conformance which rules of the contract it keeps; also missing where that was not asked for
 * @param failure why the rest is missing
 */
public record StrategyReport(
        String name,
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
        List<Contention.Result> contended,
        @Nullable ConformanceResult conformance,
        @Nullable String failure) {

    public boolean lostUpdates() {
        return guardedCounter != null && !guardedCounter.correct();
    }

    public boolean breaksRules() {
        return conformance != null && conformance.broken();
    }

    /** Collects results as they come. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> options;
        private final StrategyProfile profile;
        private List<String> redis = List.of();
        private @Nullable String redisVersion;
        private Backend.@Nullable Counting counting;
        private GuardedCounter.@Nullable Result guardedCounter;
        private UncontendedPair.@Nullable Result uncontended;
        private final List<Contention.Result> contended = new ArrayList<>();
        private @Nullable ConformanceResult conformance;
        private @Nullable String failure;

        public Builder(LockStrategyProvider provider) {
            name = provider.name();
            options = ConfiguredStrategy.of(provider, Map.of()).effectiveOptions();
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
            guardedCounter = result;
        }

        public void uncontended(UncontendedPair.Result result) {
            uncontended = result;
        }

        public void contended(Contention.Result result) {
            contended.add(result);
        }

        public void conformance(ConformanceResult result) {
            conformance = result;
        }

        public void failure(String message) {
            failure = message;
        }

        public StrategyReport build() {
            return new StrategyReport(
                    name,
                    options,
                    profile.summary(),
                    profile.purpose(),
                    profile.servers(),
                    profile.capabilities(),
                    profile.assumptions(),
                    redis,
                    redisVersion,
                    counting,
                    guardedCounter,
                    uncontended,
                    List.copyOf(contended),
                    conformance,
                    failure);
        }
    }
}
