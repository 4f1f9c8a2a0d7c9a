// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.peers.PeerProvider;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which the user chooses strategies and servers. */
final class Targets {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--redis",
            arity = "1..*",
            paramLabel = "URI",
            description =
                    "Redis servers to use instead of embedded ones, as redis://[[user]:password@]host[:port][/database]"
                            + " or rediss://..., several separated by commas, as redis-cluster://host:port,host:port or as"
                            + " redis-sentinel://host:port,host:port/0#name-of-the-primary; compare counts other clients' commands too, so leave them alone meanwhile")
    private List<String> redis = new ArrayList<>();

    @Option(
            names = "--strategy",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description = "the strategies to look at; all that are installed if left out")
    private List<String> strategies = new ArrayList<>();

    List<LockStrategyProvider> strategies() {
        return chosen(installed());
    }

    private List<LockStrategyProvider> chosen(List<LockStrategyProvider> known) {
        if (strategies.isEmpty()) {
            return known;
        }
        List<String> names = known.stream().map(LockStrategyProvider::name).toList();
        for (String strategy : strategies) {
            if (!names.contains(strategy)) {
                throw usage(new NoSuchLockStrategyException(strategy, names).getMessage());
            }
        }
        return known.stream()
                .filter(provider -> strategies.contains(provider.name()))
                .toList();
    }

    /** Returns whether the user has named strategies. */
    boolean areNamed() {
        return !strategies.isEmpty();
    }

    /**
     * Returns the strategies and the locks of other libraries that the user wants, if they can run on the servers.
     *
     * @param peers all locks of other libraries
     * @param omitted gets a sentence for each that cannot
     */
    List<LockStrategyProvider> with(List<PeerProvider> peers, Servers servers, List<String> omitted) {
        List<LockStrategyProvider> known = new ArrayList<>(installed());
        known.addAll(peers);
        return fitting(chosen(known), servers, omitted);
    }

    /**
     * Returns the strategies that can run on the servers.
     *
     * @param omitted gets a sentence for each of the others
     */
    List<LockStrategyProvider> strategies(Servers servers, List<String> omitted) {
        return fitting(strategies(), servers, omitted);
    }

    private List<LockStrategyProvider> fitting(
            List<LockStrategyProvider> wanted, Servers servers, List<String> omitted) {
        List<LockStrategyProvider> fitting = new ArrayList<>();
        for (LockStrategyProvider provider : wanted) {
            servers.objection(provider)
                    .ifPresentOrElse(
                            why -> omitted.add(provider.name() + " was left out: " + why + "."),
                            () -> fitting.add(provider));
        }
        if (fitting.isEmpty()) {
            throw usage("--redis: " + String.join(" ", omitted));
        }
        return fitting;
    }

    /** Returns all installed strategies. */
    static List<LockStrategyProvider> installed() {
        List<LockStrategyProvider> installed = DistributedLocks.strategies();
        if (installed.isEmpty()) {
            throw new ToolException("no lock strategy is installed: put the artifact of one on the class path");
        }
        return installed;
    }

    /** Returns the servers. Fails if an endpoint that the user named is not valid. */
    Servers servers() {
        try {
            Servers servers = new Servers(config().endpoints());
            servers.requireUnderstood();
            return servers;
        } catch (IllegalArgumentException e) {
            throw usage("--redis: " + e.getMessage());
        }
    }

    private LockConfig config() {
        return redis.isEmpty() ? LockConfig.builder().build() : LockConfig.of(String.join(",", redis));
    }

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(spec.commandLine(), String.valueOf(message));
    }
}
