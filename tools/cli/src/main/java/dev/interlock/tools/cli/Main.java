// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.tools.backends.Messages;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
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
                "Looks at the installed lock strategies, compares them, and checks them against the contract, on real Redis servers.",
        subcommands = {
            CompareCommand.class,
            ConformanceCommand.class,
            FaultsCommand.class,
            LocksCommand.class,
            RedlockCommand.class,
            SiteCommand.class,
            StrategiesCommand.class,
            WiresCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        footer =
                "%nThree more commands: bench measures against other libraries, scale measures growth, simulate runs a strategy on a"
                        + " virtual clock: interlock bench --help, interlock scale --help, interlock simulate --help")
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
        System.exit(run(writer(System.out), writer(System.err), args));
    }

    /**
     * Returns a writer of lines to a standard stream.
     *
     * @param stream the stream
     * @return a writer in UTF-8
     */
    public static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    /** Runs a command and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(new Main(), out, err, args.length == 0 ? new String[] {"--help"} : args);
    }

    /**
     * Runs a command, tells the user in a line what went wrong, and returns its exit code.
     *
     * @param command the command
     * @param out standard output
     * @param err standard error
     * @param args the arguments
     * @return the exit code
     */
    public static int run(Object command, PrintWriter out, PrintWriter err, String... args) {
        CommandLine commandLine = new CommandLine(command)
                .setOut(out)
                .setErr(err)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((error, failed, parsed) -> {
                    failed.getErr().println("interlock: " + Messages.of(error));
                    return ExitCodes.FAILED;
                });
        commandLine.setParameterExceptionHandler((error, arguments) -> {
            CommandLine refused = error.getCommandLine();
            refused.getErr().println("interlock: " + Messages.withoutPasswords(String.valueOf(error.getMessage())));
            refused.getErr().println("Try: " + refused.getCommandSpec().qualifiedName() + " --help");
            return ExitCodes.USAGE;
        });
        try {
            return commandLine.execute(args);
        } finally {
            out.flush();
            err.flush();
        }
    }
}
