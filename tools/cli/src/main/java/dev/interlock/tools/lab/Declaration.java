// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.lab.play.LabFault;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The relation of a finding to the strategy's profile: whether it was declared.
 *
 * @param kind the kind of declaration
 * @param assumption the assumption by which it was declared
 */
public record Declaration(Kind kind, @Nullable Assumption assumption) {
    /** The kinds of declarations. */
    public enum Kind {
        /** There is nothing to declare: the lock could be had, and never by two at once. */
        NOTHING,
        /** The fault breaks an assumption of the strategy's profile. */
        ASSUMED,
        /** The finding is possible with any lease, as {@link dev.interlock.Lease} says. */
        ANY_LEASE,
        /** Nobody could have the lock while the fault lasted, and no lock could have been had during such a fault. */
        OUTAGE,
        /** The finding is a defect that is known, listed, and to be fixed. */
        KNOWN_DEFECT,
        /** The finding is not declared. */
        UNDECLARED;

        /** Returns its name in tables. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static final Declaration NOTHING = new Declaration(Kind.NOTHING, null);
    private static final Declaration UNDECLARED = new Declaration(Kind.UNDECLARED, null);

    static Declaration of(CellVerdict verdict, boolean unserved, LabFault fault, StrategyProfile profile) {
        return switch (verdict) {
            case SAFE -> NOTHING;
            // An outage does not explain that somebody was still not served when it was over.
            case BLOCKED -> fault.excuse().outage() && !unserved ? new Declaration(Kind.OUTAGE, null) : UNDECLARED;
            case UNDECIDED -> UNDECLARED;
            case DETECTED, FENCED, VIOLATED -> ofTwoHolders(verdict, fault, profile);
        };
    }

    private static Declaration ofTwoHolders(CellVerdict verdict, LabFault fault, StrategyProfile profile) {
        if (verdict == CellVerdict.VIOLATED && profile.supports(Capability.FENCING)) {
            // Tokens must grow even if an assumption is broken.
            return UNDECLARED;
        }
        if (fault.excuse().ofAnyLease()) {
            return new Declaration(Kind.ANY_LEASE, null);
        }
        return fault.excuse()
                .declaredBy(profile.assumptions())
                .map(assumption -> new Declaration(Kind.ASSUMED, assumption))
                .orElse(UNDECLARED);
    }
}
