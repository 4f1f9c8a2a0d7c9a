// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import java.util.Comparator;

/**
 * A process that is, or was, one of the nodes. Of two processes with one index, the later one in the order of this type
 * counts.
 *
 * @param epoch the configuration epoch in which it became the node
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
