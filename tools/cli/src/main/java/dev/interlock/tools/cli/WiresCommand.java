// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.redis.inspect.PeerFormat;
import dev.interlock.tools.backends.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the lock clients of other makes with which locks can be shared. */
@Command(
        name = "wires",
        description =
                "Lists the lock clients of other makes with which set-nx-px and redlock can share locks: their keys, and the options"
                        + " that sharing with them needs.")
final class WiresCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<List<String>> rows = new ArrayList<>();
        for (PeerFormat format : PeerFormat.values()) {
            rows.add(List.of("client", format.peer()));
            rows.add(List.of("  options", format.setting()));
            rows.add(List.of("  key", format.key()));
            rows.add(List.of("  value", format.value()));
            rows.add(List.of("  time to live", format.lease()));
            rows.add(List.of("  release", format.release()));
            rows.add(List.of("  waiting", format.waiting()));
            rows.add(List.of("  tested", format.isRun() ? "run" : "by format, not run"));
        }
        spec.commandLine().getOut().print(TextTable.texts(List.of("", "What it writes, and how to share locks"), rows));
        spec.commandLine().getOut().flush();
        return ExitCodes.OK;
    }
}
