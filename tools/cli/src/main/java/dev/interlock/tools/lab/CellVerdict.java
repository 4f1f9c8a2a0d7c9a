// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.lab.evidence.Evidence;
import java.util.List;
import java.util.Locale;

/** The verdict on the evidence of a cell, from the best to the worst; {@link #UNDECIDED} comes last. */
public enum CellVerdict {
    /** Never two holders at once. */
    SAFE("never two holders at once"),
    /** Never two holders at once, but nobody could have the lock for longer than a holder's death would explain. */
    BLOCKED("never two holders at once, but nobody had the lock for a while"),
    /**
     * Two valid leases at once, but the first holder was told of the loss, or noticed it, and wrote nothing while the
     * next one held the lock.
     */
    DETECTED("two holders at once, but the first one was told before it could write"),
    /**
     * Two holders at once, and one overwrote what the other had written, or could have; not in a store that checks
     * fencing tokens.
     */
    FENCED("two holders at once; only a store that checks fencing tokens stays right"),
    /**
     * Two holders at once, and nothing kept the data right; or no correct lock can have answered the clients as this
     * one did.
     */
    VIOLATED("two holders at once, and nothing kept the data right"),
    /**
     * No violation was seen, but the checker could not decide whether a correct lock can have answered the clients so.
     * It is worse than {@link #DETECTED} and {@link #FENCED}, which an assumption may excuse.
     */
    UNDECIDED("the checker could not tell whether the clients were told what a lock tells");

    /**
     * The longest time without a holder that a holder's death explains, in leases: one for the dead holder's lease, and
     * one until the next holder has noticed, since setnx-getset counts in seconds.
     */
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
        boolean twoHolders = evidence.twoHoldersMillis() > 0;
        boolean impossible = evidence.history().equals("VIOLATED");
        boolean overwroteOrCouldHave = evidence.staleWrites() > 0 || evidence.lateWrites() > 0 || impossible;
        if (evidence.staleFencedWrites() > 0 || (overwroteOrCouldHave && !evidence.tokensTell())) {
            return VIOLATED;
        }
        if (impossible && !twoHolders) {
            // Tokens tell which of two holders is right, and help against no other answer that a lock cannot give.
            return VIOLATED;
        }
        if (twoHolders && !overwroteOrCouldHave && evidence.toldMillis() == null) {
            return VIOLATED;
        }
        if (!List.of("VALID", "VIOLATED").contains(evidence.history())) {
            return UNDECIDED;
        }
        if (overwroteOrCouldHave) {
            // Without a stale write nothing was overwritten this time, but could have been by the clients' leases. A
            // store that checks tokens prevents it.
            return FENCED;
        }
        if (twoHolders) {
            return DETECTED;
        }
        boolean blocked =
                evidence.unserved() || evidence.nobodyMillis() > LEASES_TO_NEXT_HOLDER * evidence.leaseMillis();
        return blocked ? BLOCKED : SAFE;
    }
}
