// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import java.io.PrintWriter;
import picocli.CommandLine;

/** The command line of the simulation. */
public final class Main {
    private Main() {}

    /**
     * Runs the simulation and ends the JVM.
     *
     * @param args the arguments; {@code --help} explains them
     */
    public static void main(String[] args) {
        System.exit(run(new CommandLine(new SimulateCommand()), args));
    }

    /**
     * Runs the simulation.
     *
     * @param out where results go
     * @param err where errors and the progress go
     * @param args the arguments
     * @return the exit code
     */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return run(new CommandLine(new SimulateCommand()).setOut(out).setErr(err), args);
    }

    static int run(CommandLine command, String... args) {
        return command.setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((error, failed, parsed) -> {
                    error.printStackTrace(failed.getErr());
                    return 3;
                })
                .execute(args);
    }
}
