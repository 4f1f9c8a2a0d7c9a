// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Sample;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.benchmarks.scenarios.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/** The results of the candidates in one scenario and one setting. */
public final class Outcome {
    private final Scenario scenario;
    private final Setting setting;
    private final Map<Candidate, List<Figures>> rounds = new LinkedHashMap<>();
    private final Map<Candidate, String> problems = new LinkedHashMap<>();
    private final Map<Candidate, String> exceptions = new LinkedHashMap<>();

    Outcome(Scenario scenario, Setting setting) {
        this.scenario = scenario;
        this.setting = setting;
    }

    Scenario scenario() {
        return scenario;
    }

    Setting setting() {
        return setting;
    }

    void add(Candidate candidate, Figures figures) {
        rounds.computeIfAbsent(candidate, key -> new ArrayList<>()).add(figures);
        figures.exception().ifPresent(message -> exceptions.putIfAbsent(candidate, message));
        if (figures.lostUpdates() != 0) {
            exclude(candidate, "lost " + figures.lostUpdates() + " updates: its lock let two holders in at once");
        }
    }

    /** Leaves a candidate out of the table; the first reason counts. */
    void exclude(Candidate candidate, String problem) {
        problems.putIfAbsent(candidate, problem);
    }

    boolean isOut(Candidate candidate) {
        return problems.containsKey(candidate);
    }

    /** Returns the candidates that have figures and are not left out, in the order in which they were measured. */
    public List<Candidate> candidates() {
        return rounds.keySet().stream().filter(candidate -> !isOut(candidate)).toList();
    }

    /** Returns the candidates that were to be measured, those that are left out too. */
    Set<Candidate> asked() {
        Set<Candidate> all = new LinkedHashSet<>(rounds.keySet());
        all.addAll(problems.keySet());
        return all;
    }

    /** Returns the problems of the candidates that are left out. */
    public Map<Candidate, String> problems() {
        return problems;
    }

    /**
     * Returns the message of the first exception of each candidate that threw exceptions and was measured all the same.
     */
    Map<Candidate, String> exceptions() {
        return exceptions;
    }

    public boolean lostUpdates() {
        return rounds.values().stream().flatMap(List::stream).anyMatch(figures -> figures.lostUpdates() != 0);
    }

    public Sample sample(Candidate candidate, Metric metric) {
        return Sample.of(rounds.getOrDefault(candidate, List.of()).stream()
                .mapToDouble(figures -> figures.get(metric))
                .toArray());
    }

    /** Returns the ratio of a median to that of Redisson's lock; NaN if either is missing. */
    double timesRedisson(Candidate candidate, Metric metric) {
        return times(candidate, metric, other -> other.name().equals(Candidates.REDISSON));
    }

    /** Returns the ratio of a median to that of the better bare client; NaN if either is missing. */
    double timesRaw(Candidate candidate, Metric metric) {
        return times(candidate, metric, other -> other.kind() == Candidate.Kind.RAW);
    }

    /** Returns the ratio of a median to that of the token list; NaN if either is missing. */
    double timesTokenList(Candidate candidate, Metric metric) {
        return times(candidate, metric, other -> other.kind() == Candidate.Kind.TOKEN);
    }

    /** Returns whether the token list was measured too. */
    boolean hasTokenList() {
        return candidates().stream().anyMatch(candidate -> candidate.kind() == Candidate.Kind.TOKEN);
    }

    /** Returns the ratio of a median to that of Redisson's lock over several servers; NaN if either is missing. */
    double timesRedissonRedlock(Candidate candidate, Metric metric) {
        return times(candidate, metric, Outcome::isRedissonRedlock);
    }

    /** Returns whether Redisson's lock over several servers was measured too. */
    boolean hasRedissonRedlock() {
        return candidates().stream().anyMatch(Outcome::isRedissonRedlock);
    }

    private static boolean isRedissonRedlock(Candidate candidate) {
        return candidate.name().equals(Candidates.REDISSON_REDLOCK);
    }

    private double times(Candidate candidate, Metric metric, Predicate<Candidate> others) {
        DoubleStream medians = candidates().stream()
                .filter(others)
                .mapToDouble(other -> sample(other, metric).median());
        double best = (metric.moreIsBetter() ? medians.max() : medians.min()).orElse(0);
        return best == 0 ? Double.NaN : sample(candidate, metric).median() / best;
    }
}
