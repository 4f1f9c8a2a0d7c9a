// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

/** How the commands end. */
final class ExitCodes {
    static final int OK = 0;
    static final int BROKEN = 1;
    static final int USAGE = 2;
    static final int FAILED = 3;

    private ExitCodes() {}
}
