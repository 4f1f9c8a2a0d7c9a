// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things, each whatever happens to the others. */
final class Closing {
    private Closing() {}

    static void all(List<? extends AutoCloseable> parts) {
        @Nullable CompareException first = null;
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                first = first == null ? new CompareException(Messages.of(e), e) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
