// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Findings of the fault lab that are defects of ours, known and to be fixed. They are listed in
 * {@code known-defects.tsv}, a line each: strategy, fault, verdict, reason. A listed finding fails no run, and is shown
 * as a defect in every report; another verdict than the listed one is a new finding.
 */
final class KnownDefects {
    private static final String FILE = "known-defects.tsv";
    private static final KnownDefects LISTED = new KnownDefects(read());

    private final List<Defect> defects;

    KnownDefects(List<Defect> defects) {
        this.defects = List.copyOf(defects);
    }

    /**
     * A finding.
     *
     * @param strategy the label of the strategy
     * @param fault the name of the fault
     * @param verdict the verdict, in lower case
     * @param reason what is wrong
     */
    record Defect(String strategy, String fault, String verdict, String reason) {
        static Defect parse(String line) {
            String[] fields = line.split("\t", -1);
            // What could not be decided may be any defect.
            if (fields.length != 4
                    || LabFault.of(fields[1]).isEmpty()
                    || fields[2].equals(CellVerdict.UNDECIDED.word())
                    || fields[3].isBlank()) {
                throw new IllegalArgumentException(FILE + " has the line \"" + line
                        + "\": write strategy, fault, verdict (not undecided) and reason, with tabs between");
            }
            return new Defect(fields[0], fields[1], fields[2], fields[3]);
        }
    }

    static KnownDefects listed() {
        return LISTED;
    }

    private static List<Defect> read() {
        try (InputStream in = Objects.requireNonNull(KnownDefects.class.getResourceAsStream(FILE), FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Defect::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + FILE, e);
        }
    }

    List<Defect> all() {
        return defects;
    }

    Optional<Defect> find(String strategy, LabFault fault, CellVerdict verdict) {
        return defects.stream()
                .filter(defect -> defect.strategy().equals(strategy)
                        && defect.fault().equals(fault.id())
                        && defect.verdict().equals(verdict.word()))
                .findFirst();
    }

    /** Returns a known defect if the finding is undeclared and listed, and otherwise the given declaration. */
    Declaration judge(Declaration declaration, String strategy, LabFault fault, CellVerdict verdict) {
        return declaration.kind() == Declaration.Kind.UNDECLARED
                        && find(strategy, fault, verdict).isPresent()
                ? new Declaration(Declaration.Kind.KNOWN_DEFECT, null)
                : declaration;
    }
}
