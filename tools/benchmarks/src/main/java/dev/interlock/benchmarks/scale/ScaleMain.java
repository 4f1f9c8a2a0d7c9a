// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.tools.cli.Main;

/** The command line of {@code interlock scale}. */
public final class ScaleMain {
    private ScaleMain() {}

    /**
     * Measures growth and ends the JVM.
     *
     * @param args the arguments; {@code --help} explains them
     */
    public static void main(String[] args) {
        System.exit(Main.run(new ScaleCommand(), Main.writer(System.out), Main.writer(System.err), args));
    }
}
