// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockParty;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds factories that wait for each other in a circle. Whether that is a deadlock depends on the threads: a thread
 * that holds one lock need not be the one that waits for another.
 */
public final class Deadlocks {
    private final TreeMap<String, List<Wait>> waits = new TreeMap<>();

    private Deadlocks() {}

    /**
     * One factory waits for a lock that another one holds.
     *
     * @param waiter the factory that waits
     * @param lock the name of the lock
     * @param holder the factory that holds it
     */
    public record Wait(LockParty waiter, String lock, LockParty holder) {
        private String from() {
            return waiter.identity().orElse("");
        }

        private String to() {
            return holder.identity().orElse("");
        }
    }

    /**
     * Finds the circles among some locks: for each wait the shortest that it is part of, if there is one.
     *
     * @param locks the locks
     * @return each circle once, as a list of waits: the holder of each wait is the waiter of the next one, and that of
     *     the last is the waiter of the first
     */
    public static List<List<Wait>> among(List<InspectedLock> locks) {
        Deadlocks search = new Deadlocks();
        for (InspectedLock lock : locks) {
            for (LockParty waiter : lock.waiters()) {
                Wait wait = new Wait(waiter, lock.name(), lock.holder());
                // An unidentified client cannot be part of a cycle.
                if (!wait.from().isEmpty()
                        && !wait.to().isEmpty()
                        && !wait.from().equals(wait.to())) {
                    search.waits
                            .computeIfAbsent(wait.from(), factory -> new ArrayList<>())
                            .add(wait);
                }
            }
        }
        Set<List<Wait>> circles = new LinkedHashSet<>();
        search.waits
                .values()
                .forEach(of -> of.forEach(wait -> search.circle(wait).ifPresent(circles::add)));
        return List.copyOf(circles);
    }

    /** The shortest circle that a wait is part of. Looks at one factory after the other, the nearest first. */
    private Optional<List<Wait>> circle(Wait wait) {
        Map<String, Wait> reachedBy = new HashMap<>();
        ArrayDeque<String> reached = new ArrayDeque<>();
        reachedBy.put(wait.to(), wait);
        reached.add(wait.to());
        while (!reached.isEmpty()) {
            for (Wait next : waits.getOrDefault(reached.remove(), List.of())) {
                if (reachedBy.putIfAbsent(next.to(), next) == null) {
                    reached.add(next.to());
                }
            }
        }
        if (!reachedBy.containsKey(wait.from())) {
            return Optional.empty();
        }
        List<Wait> circle = new ArrayList<>();
        String factory = wait.from();
        do {
            Wait last = Objects.requireNonNull(reachedBy.get(factory));
            circle.add(last);
            factory = last.from();
        } while (!factory.equals(wait.from()));
        Collections.reverse(circle);
        // The circle begins with the same wait, from whichever wait it was found.
        Wait first = Collections.min(circle, Comparator.comparing(Wait::from));
        Collections.rotate(circle, -circle.indexOf(first));
        return Optional.of(List.copyOf(circle));
    }
}
