// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.play.LabFault;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one strategy under one fault.
 *
 * @param fault the name of the fault
 * @param outcome whether it was played
 * @param reason why it was not played, if so
 * @param verdict the verdict on the evidence, if it was played
 * @param declaration whether the strategy's profile declares the finding, if it was played
 * @param evidence the evidence, if it was played
 * @param disturbed how often it had to be played again, because the machine was too busy for its time plan
 */
public record LabCell(
        String fault,
        Outcome outcome,
        @Nullable String reason,
        @Nullable CellVerdict verdict,
        @Nullable Declaration declaration,
        @Nullable Evidence evidence,
        int disturbed) {
    /** The outcome of a cell. */
    public enum Outcome {
        /** It was played to its end. */
        PLAYED,
        /** The fault cannot happen to this strategy. */
        DOES_NOT_APPLY,
        /** The fault cannot be caused here. */
        NOT_RUN,
        /** It could not be played to its end. */
        FAILED
    }

    public static LabCell played(LabFault fault, CellVerdict verdict, Declaration declaration, Evidence evidence) {
        return new LabCell(fault.id(), Outcome.PLAYED, null, verdict, declaration, evidence, 0);
    }

    static LabCell without(LabFault fault, Outcome outcome, String reason) {
        return new LabCell(fault.id(), outcome, reason, null, null, null, 0);
    }

    LabCell disturbed(int times) {
        return new LabCell(fault, outcome, reason, verdict, declaration, evidence, times);
    }

    public boolean undeclared() {
        return declaration != null && declaration.kind() == Declaration.Kind.UNDECLARED;
    }

    public boolean knownDefect() {
        return declaration != null && declaration.kind() == Declaration.Kind.KNOWN_DEFECT;
    }
}
