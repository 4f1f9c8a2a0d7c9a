// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.tools.lab.play.LabFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The findings of the fault lab.
 *
 * @param seed the seed of the random numbers
 * @param leaseMillis the lease in all cells
 * @param redisVersion the version of the servers
 * @param faults the faults that were asked for
 * @param strategies the findings about each strategy
 */
public record FaultReport(
        long seed, long leaseMillis, @Nullable String redisVersion, List<Fault> faults, List<Row> strategies) {
    public static final String KIND = "faults";
    public static final int SCHEMA_VERSION = 3;

    /**
     * A fault.
     *
     * @param id its name
     * @param description what goes wrong
     * @param breaks the assumption that is broken by it, if any
     * @param ofAnyLease whether no lease keeps two holders apart then
     * @param outage whether no lock could be had for so long that being blocked is no mistake of the strategy
     */
    public record Fault(
            String id, String description, @Nullable Assumption breaks, boolean ofAnyLease, boolean outage) {
        public static Fault of(LabFault fault) {
            return new Fault(
                    fault.id(),
                    fault.description(),
                    fault.excuse().assumption(),
                    fault.excuse().ofAnyLease(),
                    fault.excuse().outage());
        }
    }

    /**
     * The findings about one strategy.
     *
     * @param name the name of the strategy
     * @param label name and options, for people
     * @param options all its options and their values, those that were left at their defaults too
     * @param specimen whether it is known to be broken, and is shown as a warning
     * @param peer whether it is the lock of another library, whose profile is what its documentation says
     * @param capabilities what it promises
     * @param assumptions what it assumes
     * @param cells a cell for each fault
     */
    public record Row(
            String name,
            String label,
            Map<String, String> options,
            boolean specimen,
            boolean peer,
            Set<Capability> capabilities,
            Set<Assumption> assumptions,
            List<LabCell> cells) {
        /** Returns whether it is one of ours, which must do nothing that its profile does not declare. */
        public boolean ours() {
            return !specimen && !peer;
        }
    }

    /**
     * Returns whether there is a finding that no profile declares and no fault excuses. Specimens are excluded, since
     * they are known to be broken, and so are other libraries, which declare no profile.
     */
    public boolean hasUndeclared() {
        return strategies.stream()
                .filter(Row::ours)
                .flatMap(row -> row.cells().stream())
                .anyMatch(LabCell::undeclared);
    }

    public boolean hasFailed() {
        return strategies.stream()
                .filter(row -> !row.peer())
                .flatMap(row -> row.cells().stream())
                .anyMatch(cell -> cell.outcome() == LabCell.Outcome.FAILED);
    }

    /** Returns the problems, a sentence for each cell that has one. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (Row row : strategies) {
            for (LabCell cell : row.cells()) {
                if (cell.undeclared() && row.ours() && cell.verdict() != null) {
                    problems.add("FAILED: strategy \"" + row.label() + "\" under fault " + cell.fault() + ": "
                            + cell.verdict().meaning() + ", which its profile does not declare.");
                }
                if (cell.knownDefect() && cell.verdict() != null) {
                    problems.add("KNOWN DEFECT: strategy \"" + row.label() + "\" under fault " + cell.fault() + ": "
                            + cell.verdict().meaning() + ".");
                }
                if (cell.outcome() == LabCell.Outcome.FAILED && !row.peer()) {
                    problems.add("FAILED: strategy \"" + row.label() + "\" under fault " + cell.fault()
                            + " could not be examined: " + cell.reason());
                }
            }
        }
        return problems;
    }
}
