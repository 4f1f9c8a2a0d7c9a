// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.lab.evidence.Evidence;
import java.util.Locale;

/** What the evidence of a cell comes to, from the best to the worst. */
public enum CellVerdict {
    /** Never two holders at once. */
    SAFE("never two holders at once"),
    /** Never two holders at once, but nobody could have the lock for longer than a holder's death would explain. */
    BLOCKED("never two holders at once, but nobody had the lock for a while"),
    /** Two holders at once, but the first one was told before it wrote, and wrote no more. */
    DETECTED("two holders at once, but the first one was told before it wrote"),
    /** Two holders at once, and one overwrote what the other had written; a store that checks fencing tokens refused it. */
    FENCED("two holders at once; only the store that checks fencing tokens stayed right"),
    /** Two holders at once, and no store stayed right. */
    VIOLATED("two holders at once, and nothing kept the data right");

    /** The part of a lease that it may take on a busy machine until a process hears that its lease is over. */
    private static final int NOTICE = 8;

    /** A dead holder's lease, and as much again until the next one has noticed: setnx-getset counts in seconds. */
    private static final int LEASES_TO_NEXT_HOLDER = 2;

    private final String meaning;

    CellVerdict(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }

    /** How it is called in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether two had the lock at once. */
    boolean isTwoHolders() {
        return this == DETECTED || this == FENCED || this == VIOLATED;
    }

    static CellVerdict of(Evidence evidence) {
        boolean together = evidence.twoHoldersMillis() > evidence.leaseMillis() / NOTICE;
        if (evidence.staleFencedWrites() > 0) {
            return VIOLATED;
        }
        if (evidence.staleWrites() > 0) {
            return FENCED;
        }
        if (together && evidence.toldMillis() != null) {
            return DETECTED;
        }
        if (together || evidence.history().equals("VIOLATED")) {
            // Nothing was overwritten this time; by what the clients were told it could have been.
            return VIOLATED;
        }
        boolean blocked =
                evidence.unserved() || evidence.nobodyMillis() > LEASES_TO_NEXT_HOLDER * evidence.leaseMillis();
        return blocked ? BLOCKED : SAFE;
    }
}
