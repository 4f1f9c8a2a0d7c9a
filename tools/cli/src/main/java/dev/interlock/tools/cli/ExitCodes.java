// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

/** The exit codes of the commands. */
public final class ExitCodes {
    /** All went well. */
    public static final int OK = 0;
    /** A lock let two holders in at once, or broke a rule. */
    public static final int BROKEN = 1;
    /** An argument cannot be used. */
    public static final int USAGE = 2;
    /** Something could not be measured. */
    public static final int FAILED = 3;

    private ExitCodes() {}
}
