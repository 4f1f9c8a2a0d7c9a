// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.several;

import org.jspecify.annotations.Nullable;

/**
 * A thread and a set of names.
 *
 * @param thread the thread, which is compared by identity
 * @param names the names
 */
public record NamesOfThread(Thread thread, NameSet names) {
    @Override
    @SuppressWarnings("ReferenceEquality") // A thread class may define equality as it likes.
    public boolean equals(@Nullable Object other) {
        return other instanceof NamesOfThread that
                && thread == that.thread
                && names.key().equals(that.names.key());
    }

    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(thread) + names.key().hashCode();
    }
}
