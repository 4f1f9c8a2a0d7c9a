// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import org.jspecify.annotations.Nullable;

/**
 * A log that never throws: a failing log handler, for example on a full disk, must not leave a lock half acquired or
 * half released.
 */
public final class QuietLog {
    private final System.Logger log;

    private QuietLog(System.Logger log) {
        this.log = log;
    }

    /** Returns the log of the package of a class. */
    public static QuietLog of(Class<?> type) {
        return new QuietLog(System.getLogger(type.getPackageName()));
    }

    public void log(System.Logger.Level level, String message) {
        log(level, message, null);
    }

    public void log(System.Logger.Level level, String message, @Nullable Throwable cause) {
        try {
            log.log(level, message, cause);
        } catch (Throwable e) {
            // The failure of the log cannot be reported anywhere.
        }
    }
}
