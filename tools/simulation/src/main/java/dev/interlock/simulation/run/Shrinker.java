// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.simulation.plan.Plan;
import dev.interlock.simulation.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes a plan whose run shows a violation as small as possible, by leaving out steps. */
final class Shrinker {
    private final Setup setup;

    Shrinker(Setup setup) {
        this.setup = setup;
    }

    /** Returns the smallest plan that was found whose run shows a violation. */
    Plan shrink(Plan failing) {
        Plan smallest = failing;
        for (int size = Math.max(1, failing.steps().size() / 2); size >= 1; size /= 2) {
            boolean smaller = true;
            while (smaller) {
                Optional<Plan> found = without(smallest, size);
                smaller = found.isPresent();
                smallest = found.orElse(smallest);
            }
        }
        return smallest;
    }

    /** Leaves some neighbouring steps out, if the run then still shows a violation. */
    private Optional<Plan> without(Plan plan, int size) {
        List<Step> steps = plan.steps();
        for (int from = 0; from + size <= steps.size(); from += size) {
            List<Step> left = new ArrayList<>(steps.subList(0, from));
            left.addAll(steps.subList(from + size, steps.size()));
            Plan smaller = plan.only(numbers(left));
            RunOutcome outcome = World.run(smaller, setup, false);
            // Each further try of one that is stuck would take a minute.
            if (outcome.violation().isPresent() && !outcome.stuck()) {
                return Optional.of(smaller);
            }
        }
        return Optional.empty();
    }

    static Set<Integer> numbers(List<Step> steps) {
        return steps.stream().map(Step::number).collect(Collectors.toCollection(java.util.TreeSet::new));
    }
}
