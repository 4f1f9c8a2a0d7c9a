// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import org.jspecify.annotations.Nullable;

/** An error that the user can understand by its message alone. */
final class CompareException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompareException(String message) {
        super(message);
    }

    CompareException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
