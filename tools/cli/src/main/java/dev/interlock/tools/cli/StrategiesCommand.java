// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the installed strategies with their capabilities, assumptions and options. */
@Command(
        name = "strategies",
        description = "Lists the installed strategies: what they promise, what they assume, and their options.")
final class StrategiesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<LockStrategyProvider> strategies = Targets.installed();
        List<List<String>> rows = new ArrayList<>();
        strategies.forEach(strategy -> describe(strategy, rows));
        spec.commandLine().getOut().print(TextTable.texts(List.of("Strategy", "What it is"), rows));
        spec.commandLine().getOut().flush();
        return ExitCodes.OK;
    }

    private static void describe(LockStrategyProvider strategy, List<List<String>> rows) {
        StrategyProfile profile = strategy.profile();
        rows.add(List.of(strategy.name(), profile.summary()));
        if (!profile.purpose().isEmpty()) {
            rows.add(List.of("  take it to", profile.purpose()));
        }
        rows.add(List.of("  runs on", profile.servers().summary()));
        for (Capability capability : profile.capabilities()) {
            rows.add(List.of("  promises", capability + ": " + capability.summary()));
        }
        for (Assumption assumption : profile.assumptions()) {
            rows.add(List.of("  assumes", assumption + ": " + assumption.summary()));
        }
        for (StrategyOption option : strategy.options()) {
            rows.add(List.of(
                    "  option", option.name() + " (default: " + option.defaultValue() + "): " + option.description()));
        }
    }
}
