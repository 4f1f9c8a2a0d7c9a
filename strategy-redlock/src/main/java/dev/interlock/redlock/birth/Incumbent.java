// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import java.util.Comparator;

/**
 * A process that has, or had, the place of one node. Of two processes the later one counts, in the order of this type.
 *
 * @param epoch the configuration epoch in which it took the place
 * @param runId the name of the process
 */
public record Incumbent(long epoch, String runId) implements Comparable<Incumbent> {
    private static final Comparator<Incumbent> ORDER =
            Comparator.comparingLong(Incumbent::epoch).thenComparing(Incumbent::runId);

    @Override
    public int compareTo(Incumbent other) {
        return ORDER.compare(this, other);
    }
}
