// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.LockConfig;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.peers.PeerProvider;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Runs rules of the contract with strategies. */
public final class Conformance {
    private final Servers servers;
    private final List<Rule> rules;

    public Conformance(Servers servers, List<Rule> rules) {
        this.servers = servers;
        this.rules = rules;
    }

    public ConformanceReport run(List<ConfiguredStrategy> candidates, Progress progress) {
        List<ConformanceReport.Entry> entries = new ArrayList<>();
        for (ConfiguredStrategy candidate : candidates) {
            entries.add(entry(candidate, progress));
        }
        return new ConformanceReport(
                ConformanceReport.SCHEMA_VERSION,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                Version.OF_INTERLOCK,
                Machine.here(),
                entries);
    }

    private ConformanceReport.Entry entry(ConfiguredStrategy candidate, Progress progress) {
        String name = candidate.provider().name();
        try (Backend backend = servers.backend(candidate.provider())) {
            return new ConformanceReport.Entry(
                    name,
                    candidate.effectiveOptions(),
                    candidate.label(),
                    backend.redisVersion(),
                    LockConfig.of(backend.endpoints()).endpoints().size(),
                    check(candidate, progress),
                    null);
        } catch (RuntimeException | LinkageError e) {
            // One strategy that fails must not hide what the others can do.
            progress.skip(rules.size());
            return new ConformanceReport.Entry(
                    name, candidate.effectiveOptions(), candidate.label(), null, null, null, Messages.of(e));
        }
    }

    /** Runs those of the rules that apply to any lock with the lock of another library. */
    public ConformanceResult checkPeer(PeerProvider peer, Backend backend) {
        LockConfig config = LockConfig.builder().endpoints(backend.endpoints()).build();
        try (PeerProvider.KitClients clients = peer.clientsForTheKit(config)) {
            return RuleRun.ofPlainLocks(clients)
                    .run(
                            peer.name(),
                            rules.stream().filter(Rule.OF_PLAIN_LOCKS::contains).toList(),
                            Progress.none());
        }
    }

    /** Runs the rules, each of which is a step of progress. */
    public ConformanceResult check(ConfiguredStrategy candidate, Progress progress) {
        return new RuleRun(() -> servers.harness(candidate)).run(candidate.label(), rules, progress);
    }
}
