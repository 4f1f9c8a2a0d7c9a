// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

/** A program for a child process of a tool. */
@FunctionalInterface
public interface ChildProgram {
    /**
     * Does the work.
     *
     * @throws Exception if anything goes wrong
     */
    void run() throws Exception;

    /**
     * Runs a program and ends the JVM, whatever threads it has left, with a line on standard error if it failed.
     *
     * @param program the program
     */
    static void runAndExit(ChildProgram program) {
        int status = 1;
        try {
            program.run();
            status = 0;
        } catch (Throwable e) {
            System.err.println(Messages.of(e));
        } finally {
            System.exit(status);
        }
    }
}
