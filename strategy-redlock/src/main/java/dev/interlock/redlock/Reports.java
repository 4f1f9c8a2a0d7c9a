// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where the reports of attempts go. */
final class Reports {
    private static final System.Logger LOG = System.getLogger(Reports.class.getPackageName());

    private final @Nullable Consumer<AttemptReport> listener;

    Reports(@Nullable Consumer<AttemptReport> listener) {
        this.listener = listener;
    }

    /** Whether anybody reads them; most attempts need none. */
    boolean areWanted() {
        return listener != null || LOG.isLoggable(System.Logger.Level.DEBUG);
    }

    void tell(AttemptReport report) {
        LOG.log(System.Logger.Level.DEBUG, report);
        if (listener != null) {
            listener.accept(report);
        }
    }
}
