// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command line of Interlock. */
@Command(
        name = "interlock",
        description =
                "Looks at the installed lock strategies, compares them, and holds them to the contract, on real Redis servers.",
        subcommands = {CompareCommand.class, ConformanceCommand.class, StrategiesCommand.class, WorkerCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "shows this help")
    @SuppressWarnings("UnusedVariable") // Read by the parser.
    private boolean help;

    private Main() {}

    /**
     * Runs a command and ends the JVM.
     *
     * @param args the command and its arguments; {@code --help} explains them
     */
    public static void main(String[] args) {
        System.exit(run(
                new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true),
                new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true),
                args));
    }

    /** Runs a command and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        CommandLine commandLine = new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    command.getErr().println("interlock: " + Messages.of(error));
                    return ExitCodes.FAILED;
                });
        commandLine.setParameterExceptionHandler((error, arguments) -> {
            CommandLine command = error.getCommandLine();
            command.getErr().println("interlock: " + Messages.withoutPasswords(String.valueOf(error.getMessage())));
            command.getErr().println("Try: interlock " + helpFor(command));
            return ExitCodes.USAGE;
        });
        try {
            return commandLine.execute(args.length == 0 ? new String[] {"--help"} : args);
        } finally {
            out.flush();
            err.flush();
        }
    }

    private static String helpFor(CommandLine command) {
        return command.getParent() == null ? "--help" : command.getCommandName() + " --help";
    }
}
