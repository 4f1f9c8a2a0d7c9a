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
 * @param kind how
 * @param assumption the assumption by which it was declared
 */
public record Declaration(Kind kind, @Nullable Assumption assumption) {
    /** The kinds of declarations. */
    public enum Kind {
        /** There is nothing to declare: somebody could have the lock, and never two at once. */
        NOTHING,
        /** The fault breaks an assumption of the strategy's profile. */
        ASSUMED,
        /** It is so with any lease, as {@link dev.interlock.Lease} says. */
        ANY_LEASE,
        /** Nobody could have the lock while the fault lasted, and it takes away what every lock needs. */
        OUTAGE,
        /** It is a defect that is known, listed, and to be fixed. */
        KNOWN_DEFECT,
        /** It is not declared. */
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
            // An outage excuses nobody who is not served when it is over.
            case BLOCKED -> fault.excuse().outage() && !unserved ? new Declaration(Kind.OUTAGE, null) : UNDECLARED;
            case UNDECIDED -> UNDECLARED;
            case DETECTED, FENCED, VIOLATED -> ofTwoHolders(verdict, fault, profile);
        };
    }

    private static Declaration ofTwoHolders(CellVerdict verdict, LabFault fault, StrategyProfile profile) {
        if (verdict == CellVerdict.VIOLATED && profile.supports(Capability.FENCING)) {
            // Tokens grow whatever else is broken: that is what they are for.
            return UNDECLARED;
        }
        if (fault.excuse().ofAnyLease()) {
            return new Declaration(Kind.ANY_LEASE, null);
        }
        @Nullable Assumption broken = fault.excuse().assumption();
        return broken != null && profile.assumptions().contains(broken)
                ? new Declaration(Kind.ASSUMED, broken)
                : UNDECLARED;
    }
}
