// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which the user says what to look at: which strategies, and on which servers. */
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
        List<LockStrategyProvider> installed = installed();
        if (strategies.isEmpty()) {
            return installed;
        }
        List<String> names = installed.stream().map(LockStrategyProvider::name).toList();
        for (String strategy : strategies) {
            if (!names.contains(strategy)) {
                throw usage(new NoSuchLockStrategyException(strategy, names).getMessage());
            }
        }
        return installed.stream()
                .filter(provider -> strategies.contains(provider.name()))
                .toList();
    }

    /**
     * The strategies that can run on the servers.
     *
     * @param omitted gets a sentence for each of the others
     */
    List<LockStrategyProvider> strategies(Servers servers, List<String> omitted) {
        List<LockStrategyProvider> fitting = new ArrayList<>();
        for (LockStrategyProvider provider : strategies()) {
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

    /** All strategies that there are. */
    static List<LockStrategyProvider> installed() {
        List<LockStrategyProvider> installed = DistributedLocks.strategies();
        if (installed.isEmpty()) {
            throw new ToolException("no lock strategy is installed: put the artifact of one on the class path");
        }
        return installed;
    }

    /** The servers, of which each that the user named can be understood. */
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
