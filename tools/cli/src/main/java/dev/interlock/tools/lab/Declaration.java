// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.Assumption;
import dev.interlock.Capability;
import dev.interlock.StrategyProfile;
import dev.interlock.tools.lab.play.LabFault;
import org.jspecify.annotations.Nullable;

/**
 * Whether a strategy has said before what was found of it.
 *
 * @param kind how
 * @param assumption the assumption by which it was declared
 */
public record Declaration(Kind kind, @Nullable Assumption assumption) {
    /** How a finding is declared. */
    public enum Kind {
        /** There is nothing to declare: there were no two holders. */
        NOTHING,
        /** The fault breaks an assumption of the strategy's profile. */
        ASSUMED,
        /** It is so with any lease, as {@link dev.interlock.Lease} says. */
        ANY_LEASE,
        /** It is not declared. */
        UNDECLARED
    }

    static Declaration of(CellVerdict verdict, LabFault fault, StrategyProfile profile) {
        if (!verdict.isTwoHolders()) {
            return new Declaration(Kind.NOTHING, null);
        }
        if (verdict == CellVerdict.VIOLATED && profile.supports(Capability.FENCING)) {
            // Tokens grow whatever else is broken: that is what they are for.
            return new Declaration(Kind.UNDECLARED, null);
        }
        if (fault.excuse().ofAnyLease()) {
            return new Declaration(Kind.ANY_LEASE, null);
        }
        @Nullable Assumption broken = fault.excuse().assumption();
        return broken != null && profile.assumptions().contains(broken)
                ? new Declaration(Kind.ASSUMED, broken)
                : new Declaration(Kind.UNDECLARED, null);
    }
}
