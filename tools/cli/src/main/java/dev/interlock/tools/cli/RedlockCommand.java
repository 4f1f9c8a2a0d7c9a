// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.LockConfig;
import dev.interlock.redlock.RedlockOperations;
import dev.interlock.tools.backends.TextTable;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Looks at the nodes of a redlock cluster, and changes them while clients go on. */
@Command(
        name = "redlock",
        description = {
            "Looks at the nodes of a redlock cluster, and replaces, adds or removes one while clients go on.",
            "A change takes the longest max-lease of any client at least. If the command ends before the change does, give it"
                    + " again. See docs/redlock-operations.md."
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:done",
            "2:an argument cannot be used",
            "3:too few nodes answer, or another change is under way"
        })
final class RedlockCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--endpoints",
            split = ",",
            paramLabel = "URI",
            scope = ScopeType.INHERIT,
            description = "endpoints of the cluster, as clients have them: redis://[user:password@]host:port,…")
    private List<String> endpoints = new ArrayList<>();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            scope = ScopeType.INHERIT,
            description = "the key prefix of the clients, if they have one")
    private String keyPrefix = "";

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            scope = ScopeType.INHERIT,
            description = "an option that the clients have, such as cluster=orders or tls-ca=ca.pem")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--gone",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description = "a node of the old list that is stopped for good, so that it cannot be told of the change")
    private Set<String> gone = new LinkedHashSet<>();

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getErr());
    }

    @Command(description = "Shows the nodes, and when each of them votes.")
    int status() throws InterruptedException {
        return with(cluster -> {
            RedlockOperations.Status status = cluster.status();
            List<List<String>> rows = new ArrayList<>();
            for (RedlockOperations.Node node : status.nodes()) {
                rows.add(List.of(
                        node.address(),
                        node.phase(),
                        node.connected() ? "yes" : "no",
                        node.informed() ? "yes" : "no",
                        node.votesIn().map(RedlockCommand::when).orElse("no")));
            }
            print(TextTable.figures(List.of("Node", "In the list", "Answers", "Knows the list", "Votes"), rows));
            print("Revision " + status.revision()
                    + (status.changing() ? ": a change is under way, give its command again\n" : "\n"));
        });
    }

    private static String when(Duration votesIn) {
        return votesIn.isZero() ? "yes" : "in " + (votesIn.toSeconds() + 1) + " s";
    }

    @Command(description = "Replaces a node by another one.")
    int replace(
            @Parameters(paramLabel = "OLD", description = "host:port of the node that leaves") String leaving,
            @Parameters(paramLabel = "NEW", description = "host:port of the node that joins") String joining)
            throws InterruptedException {
        return with(cluster -> cluster.replace(leaving, joining, gone, this::say));
    }

    @Command(description = "Adds a node. Needs --option even-nodes=allow where that makes an even number.")
    int add(@Parameters(paramLabel = "NEW", description = "host:port of the node that joins") String joining)
            throws InterruptedException {
        return with(cluster -> cluster.add(joining, gone, this::say));
    }

    @Command(description = "Removes a node. Needs --option even-nodes=allow where that makes an even number.")
    int remove(@Parameters(paramLabel = "OLD", description = "host:port of the node that leaves") String leaving)
            throws InterruptedException {
        return with(cluster -> cluster.remove(leaving, gone, this::say));
    }

    /** An operation on a cluster. */
    private interface Operation {
        void run(RedlockOperations cluster) throws InterruptedException;
    }

    private int with(Operation operation) throws InterruptedException {
        LockConfig.Builder config = LockConfig.builder().endpoints(String.join(",", endpoints));
        options.forEach(config::option);
        if (!keyPrefix.isEmpty()) {
            config.keyPrefix(keyPrefix);
        }
        try (RedlockOperations cluster = RedlockOperations.connect(config.build())) {
            operation.run(cluster);
            return ExitCodes.OK;
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new ToolException(String.valueOf(e.getMessage()), e);
        }
    }

    private void say(String news) {
        spec.commandLine().getErr().println(news);
        spec.commandLine().getErr().flush();
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }
}
