// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes the library of a peer.
 *
 * @param title what its users call it
 * @param artifact the artifact that has it
 * @param version the version of the artifact
 * @param documentation where its makers describe it
 * @param limits what it does not do, in sentences; all that reports of former versions have
 * @param documentedLimits what its makers say that it does not do; missing in reports of former versions
 * @param findings what was found here that its makers do not say; missing in reports of former versions
 * @param additions what had to be added to use it here, in sentences; missing in reports of former versions
 */
public record PeerCard(
        String title,
        String artifact,
        String version,
        String documentation,
        List<String> limits,
        @Nullable List<Limit> documentedLimits,
        @Nullable List<Finding> findings,
        @Nullable List<String> additions) {

    PeerCard(
            String title,
            String artifact,
            String version,
            String documentation,
            List<Limit> documentedLimits,
            List<Finding> findings,
            List<String> additions) {
        this(
                title,
                artifact,
                version,
                documentation,
                Stream.of(
                                documentedLimits.stream().map(Limit::text),
                                findings.stream().map(Finding::text),
                                additions.stream())
                        .flatMap(sentences -> sentences)
                        .toList(),
                documentedLimits,
                findings,
                additions);
    }

    /**
     * A limit that the makers of a lock document.
     *
     * @param text a sentence
     * @param url where they say it
     */
    public record Limit(String text, String url) {}

    /**
     * A limit that was found here.
     *
     * @param text a sentence
     * @param rules the rules of the contract that show it, by their numbers
     * @param faults the faults that show it, by their names
     */
    public record Finding(String text, List<String> rules, List<String> faults) {
        static Finding byRules(String text, String... rules) {
            return new Finding(text, List.of(rules), List.of());
        }

        static Finding byFaults(String text, String... faults) {
            return new Finding(text, List.of(), List.of(faults));
        }

        /** Returns what shows it, in words. */
        public String evidence() {
            return Stream.of(evidence("rule", rules), evidence("fault", faults))
                    .filter(kind -> !kind.isEmpty())
                    .collect(Collectors.joining("; "));
        }

        private static String evidence(String kind, List<String> names) {
            return names.isEmpty() ? "" : kind + (names.size() == 1 ? " " : "s ") + String.join(", ", names);
        }
    }

    /** Returns all of it in sentences, each with where it comes from. */
    public List<String> sentences(String name) {
        if (documentedLimits == null) {
            return List.of("Limits of " + name + " (" + documentation + "): " + String.join(" ", limits));
        }
        List<String> sentences = new ArrayList<>();
        documentedLimits.stream()
                .collect(Collectors.groupingBy(
                        Limit::url, LinkedHashMap::new, Collectors.mapping(Limit::text, Collectors.joining(" "))))
                .forEach((url, texts) -> sentences.add("Documented of " + name + " (" + url + "): " + texts));
        List<Finding> found = Objects.requireNonNullElse(findings, List.of());
        if (!found.isEmpty()) {
            sentences.add("Found with " + name + ": "
                    + found.stream()
                            .map(finding -> finding.text().replaceFirst("\\.$", "") + " (" + finding.evidence() + ").")
                            .collect(Collectors.joining(" ")));
        }
        List<String> added = Objects.requireNonNullElse(additions, List.of());
        if (!added.isEmpty()) {
            sentences.add("Added to " + name + " here: " + String.join(" ", added));
        }
        return sentences;
    }
}
