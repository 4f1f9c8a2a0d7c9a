// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things, each whatever happens to the others. */
public final class Closing {
    private Closing() {}

    public static void all(List<? extends AutoCloseable> parts) {
        @Nullable ToolException first = null;
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                first = first == null ? new ToolException(Messages.of(e), e) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
