// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

/** The command line of the benchmarks. */
public final class Main {
    private Main() {}

    /**
     * Runs the benchmarks and ends the JVM.
     *
     * @param args the arguments; {@code --help} explains them
     */
    public static void main(String[] args) {
        System.exit(dev.interlock.tools.cli.Main.run(
                new BenchCommand(),
                dev.interlock.tools.cli.Main.writer(System.out),
                dev.interlock.tools.cli.Main.writer(System.err),
                args));
    }
}
