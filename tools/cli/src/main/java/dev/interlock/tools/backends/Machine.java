// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

/**
 * Where figures come from.
 *
 * @param java the version and maker of the JVM
 * @param os the operating system and processor
 * @param cores the number of processors that the JVM may use
 */
public record Machine(String java, String os, int cores) {
    /**
     * Returns what this JVM runs on.
     *
     * @return this machine
     */
    public static Machine here() {
        return new Machine(
                System.getProperty("java.runtime.version") + " (" + System.getProperty("java.vendor") + ")",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
    }

    /**
     * Describes it in a line.
     *
     * @return the description
     */
    public String description() {
        return "Java " + java + "; " + os + ", " + cores + (cores == 1 ? " core" : " cores");
    }
}
