// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A safe form of an application's function from names to groups: it never throws, and has a bounded number of results.
 */
final class Grouping {
    /** The number of groups after which further ones become {@link LockGroups#OTHER}. */
    static final int MAX_GROUPS = 100;

    private static final System.Logger LOG = System.getLogger(Grouping.class.getPackageName());

    private final UnaryOperator<String> function;
    private final Set<String> groups = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    Grouping(UnaryOperator<String> function) {
        this.function = function;
    }

    String of(String lockName) {
        String group = apply(lockName);
        if (group == null || group.isBlank() || group.equals(LockGroups.OTHER)) {
            return LockGroups.OTHER;
        }
        if (groups.contains(group)) {
            return group;
        }
        // Concurrent threads may create a few groups more.
        if (groups.size() < MAX_GROUPS) {
            groups.add(group);
            return group;
        }
        warn("there are more than " + MAX_GROUPS + " groups of locks; further ones, of which \"" + group
                + "\" is the first, count as \"" + LockGroups.OTHER + "\": give a function with fewer results");
        return LockGroups.OTHER;
    }

    private @Nullable String apply(String lockName) {
        try {
            return function.apply(lockName);
        } catch (RuntimeException e) {
            warn("the function that groups locks failed for \"" + lockName + "\", which counts as \"" + LockGroups.OTHER
                    + "\": " + e);
            return null;
        }
    }

    private void warn(String message) {
        if (warned.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, message);
        }
    }
}
