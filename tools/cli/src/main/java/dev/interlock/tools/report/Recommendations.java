// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.spi.Capability;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out which strategy to take for what, among those in which nothing wrong was found. */
public final class Recommendations {
    private final List<StrategyReport> all;
    private final List<StrategyReport> sound;
    private final List<StrategyReport> unexamined;
    private final @Nullable FaultReport faults;

    private Recommendations(List<StrategyReport> strategies, @Nullable FaultReport faults) {
        this.all = strategies;
        this.faults = faults;
        this.unexamined = strategies.stream()
                .filter(strategy -> strategy.failure() == null
                        && strategy.conformance() == null
                        && strategy.guardedCounter() == null
                        && cells(strategy).noneMatch(cell -> cell.outcome() == LabCell.Outcome.PLAYED))
                .toList();
        this.sound = strategies.stream()
                .filter(strategy -> !unexamined.contains(strategy))
                .filter(strategy -> strategy.failure() == null && !strategy.lostUpdates() && !strategy.breaksRules())
                .filter(strategy -> cells(strategy).noneMatch(LabCell::undeclared))
                .toList();
    }

    public static List<Recommendation> of(List<StrategyReport> everything, @Nullable FaultReport faults) {
        // Others have documents of their own to recommend them.
        List<StrategyReport> strategies =
                everything.stream().filter(StrategyReport::ours).toList();
        Recommendations found = new Recommendations(strategies, faults);
        List<Recommendation> all = new ArrayList<>(List.of(
                found.best(
                        "save work that would be done twice; a duplicate does no harm",
                        strategy -> strategy.capabilities().contains(Capability.PUSH_WAKEUP),
                        Recommendations::cost),
                found.best(
                        "keep data right, in a store that checks fencing tokens",
                        strategy -> strategy.capabilities().contains(Capability.FENCING),
                        found::fencing),
                found.best(
                        "go on when a server is lost",
                        strategy -> strategy.capabilities().contains(Capability.QUORUM),
                        found::minority)));
        Set<String> taken = all.stream().map(Recommendation::strategy).collect(Collectors.toSet());
        // What others are for is for themselves to say.
        strategies.stream()
                .filter(strategy -> !taken.contains(strategy.name()))
                .flatMap(strategy -> found.ownPurpose(strategy).stream())
                .forEach(all::add);
        return List.copyOf(all);
    }

    private Optional<Recommendation> ownPurpose(StrategyReport strategy) {
        return Optional.ofNullable(strategy.purpose())
                .filter(purpose -> !purpose.isEmpty())
                .map(purpose -> best(purpose, strategy::equals, StrategyReport::summary));
    }

    private static int servers(StrategyReport strategy) {
        return strategy.servers() == null ? 1 : strategy.servers().usual();
    }

    /** Takes the strategy with the fewest servers, and of these the fastest. */
    private Recommendation best(String need, Predicate<StrategyReport> will, Function<StrategyReport, String> reason) {
        Optional<StrategyReport> best = sound.stream()
                .filter(will)
                .min(Comparator.<StrategyReport>comparingInt(Recommendations::servers)
                        .thenComparing(Recommendations::pairsPerSecond, Comparator.reverseOrder()));
        return best.map(strategy ->
                        new Recommendation(need, strategy.name(), reason.apply(strategy) + knownDefects(strategy)))
                .orElseGet(() -> new Recommendation(need, null, whyNone(will)));
    }

    private String whyNone(Predicate<StrategyReport> will) {
        List<StrategyReport> candidates = all.stream().filter(will).toList();
        if (candidates.isEmpty()) {
            return "none of those that were compared will do";
        }
        if (candidates.stream().allMatch(unexamined::contains)) {
            return names(candidates) + " would do, but nothing was examined here but what the profiles promise";
        }
        return "something went wrong here with "
                + names(candidates.stream()
                        .filter(strategy -> !unexamined.contains(strategy))
                        .toList());
    }

    private String knownDefects(StrategyReport strategy) {
        String faults = cells(strategy)
                .filter(LabCell::knownDefect)
                .map(LabCell::fault)
                .distinct()
                .collect(Collectors.joining(", "));
        return faults.isEmpty() ? "" : "; it has a known defect under " + faults;
    }

    private static String names(List<StrategyReport> strategies) {
        return strategies.stream().map(StrategyReport::name).collect(Collectors.joining(" and "));
    }

    private static double pairsPerSecond(StrategyReport strategy) {
        return strategy.uncontended() == null ? 0 : strategy.uncontended().pairsPerSecond();
    }

    private static String cost(StrategyReport strategy) {
        int servers = servers(strategy);
        String where = servers == 1 ? "one server" : servers + " servers";
        return strategy.uncontended() == null
                ? where + ", and waiters are told"
                : String.format(
                        Locale.ROOT,
                        "%s, %.1f commands and %.2f ms for an uncontended pair, and waiters are told",
                        where,
                        strategy.uncontended().commandsPerPair(),
                        strategy.uncontended().p50Millis());
    }

    private String fencing(StrategyReport strategy) {
        long fenced = cells(strategy)
                .filter(cell -> cell.verdict() == CellVerdict.FENCED)
                .count();
        return fenced == 0
                ? "draws fencing tokens"
                : "its tokens kept the store right under each of the " + fenced + " faults that let two holders in";
    }

    private String minority(StrategyReport strategy) {
        List<LabCell> minority = cells(strategy)
                .filter(cell -> cell.fault().startsWith("minority-"))
                .toList();
        boolean shown = !minority.isEmpty() && minority.stream().allMatch(cell -> cell.verdict() == CellVerdict.SAFE);
        return "needs a majority of its servers" + (shown ? ": safe, and not blocked, without two of five" : "");
    }

    private Stream<LabCell> cells(StrategyReport strategy) {
        return faults == null
                ? Stream.of()
                : faults.strategies().stream()
                        .filter(row -> row.name().equals(strategy.name()))
                        .flatMap(row -> row.cells().stream());
    }
}
