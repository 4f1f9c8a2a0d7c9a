// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import org.jspecify.annotations.Nullable;

/**
 * Who is to hold a lock: a thread, or whoever has the handle.
 *
 * @param thread the thread, or {@code null} for a handle
 */
record Owner(@Nullable Thread thread) {
    static final Owner HANDLE = new Owner(null);

    boolean isThread(Thread candidate) {
        return candidate.equals(thread);
    }
}
