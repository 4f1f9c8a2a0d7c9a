// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

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

    static int run(CommandLine command, String... args) {
        return command.setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((error, failed, parsed) -> {
                    error.printStackTrace(failed.getErr());
                    return 3;
                })
                .execute(args);
    }
}
