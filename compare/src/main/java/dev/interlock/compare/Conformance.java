// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Takes strategies through rules of the contract. */
final class Conformance {
    private final Servers servers;
    private final List<Rule> rules;

    Conformance(Servers servers, List<Rule> rules) {
        this.servers = servers;
        this.rules = rules;
    }

    ConformanceReport run(List<Candidate> candidates, Progress progress) {
        List<ConformanceReport.Entry> entries = new ArrayList<>();
        for (Candidate candidate : candidates) {
            entries.add(entry(candidate, progress));
        }
        return new ConformanceReport(
                ConformanceReport.SCHEMA_VERSION,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Version.OF_INTERLOCK,
                Machine.here(),
                entries);
    }

    private ConformanceReport.Entry entry(Candidate candidate, Progress progress) {
        String name = candidate.provider().name();
        try (Backend backend = servers.backend(name)) {
            return new ConformanceReport.Entry(
                    name,
                    candidate.options(),
                    candidate.label(),
                    backend.redisVersion(),
                    check(candidate, progress),
                    null);
        } catch (RuntimeException | LinkageError e) {
            // One strategy that fails must not hide what the others can do.
            progress.skip(rules.size());
            return new ConformanceReport.Entry(
                    name, candidate.options(), candidate.label(), null, null, Messages.of(e));
        }
    }

    /** Runs the rules, each of which is a step of progress. */
    ConformanceResult check(Candidate candidate, Progress progress) {
        return new KitRun(() -> servers.harness(candidate)).run(candidate.label(), rules, progress);
    }
}
