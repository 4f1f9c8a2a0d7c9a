// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.lab.evidence.Evidence;
import java.util.Locale;

/** The verdict on the evidence of a cell, from the best to the worst. */
public enum CellVerdict {
    /** Never two holders at once. */
    SAFE("never two holders at once"),
    /** Never two holders at once, but nobody could have the lock for longer than a holder's death would explain. */
    BLOCKED("never two holders at once, but nobody had the lock for a while"),
    /**
     * Two valid leases at once, but the first one's holder was told, or saw it, and wrote nothing beside the next one.
     */
    DETECTED("two holders at once, but the first one was told before it could write"),
    /**
     * Two holders at once, and one overwrote what the other had written, or could have; not in a store that checks
     * fencing tokens.
     */
    FENCED("two holders at once; only a store that checks fencing tokens stays right"),
    /** Two holders at once, and nothing kept the data right; or what the clients were told is no history of a lock. */
    VIOLATED("two holders at once, and nothing kept the data right"),
    /**
     * Nothing wrong was seen, but the checker could not tell whether what the clients were told is a history of a lock.
     */
    UNDECIDED("the checker could not tell whether the clients were told what a lock tells");

    /** A dead holder's lease, and as much again until the next one has noticed: setnx-getset counts in seconds. */
    private static final int LEASES_TO_NEXT_HOLDER = 2;

    private final String meaning;

    CellVerdict(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }

    /** Returns its name in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether there were two holders at once. */
    boolean isTwoHolders() {
        return this == DETECTED || this == FENCED || this == VIOLATED;
    }

    static CellVerdict of(Evidence evidence) {
        if (evidence.staleFencedWrites() > 0) {
            return VIOLATED;
        }
        if (evidence.staleWrites() > 0) {
            return FENCED;
        }
        if (evidence.history().equals("VIOLATED") || evidence.lateWrites() > 0) {
            // Nothing was overwritten this time; by what the clients were told it could have been, but for their
            // tokens.
            return evidence.tokensTell() ? FENCED : VIOLATED;
        }
        if (evidence.twoHoldersMillis() > 0) {
            return evidence.toldMillis() == null ? VIOLATED : DETECTED;
        }
        if (!evidence.history().equals("VALID")) {
            return UNDECIDED;
        }
        boolean blocked =
                evidence.unserved() || evidence.nobodyMillis() > LEASES_TO_NEXT_HOLDER * evidence.leaseMillis();
        return blocked ? BLOCKED : SAFE;
    }
}
