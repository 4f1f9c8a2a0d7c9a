// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import org.jspecify.annotations.Nullable;

/** Thrown if a factory of locks cannot be made from the properties; says what to do. */
final class LockFactoryCreationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    LockFactoryCreationException(String factory, String problem, String action, @Nullable Throwable cause) {
        super("the lock factory \"" + factory + "\" cannot be made: " + problem, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
