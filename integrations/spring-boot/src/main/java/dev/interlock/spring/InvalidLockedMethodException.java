// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.reflect.Method;

/** Thrown when the application starts, if a {@link Locked @Locked} method cannot keep what the annotation promises. */
public class InvalidLockedMethodException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    InvalidLockedMethodException(Method method, String problem, String action) {
        super("@Locked on " + describe(method) + ": " + problem);
        this.action = action;
    }

    /**
     * Returns what to do about it.
     *
     * @return a sentence
     */
    public String action() {
        return action;
    }

    static String describe(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName() + "(…)";
    }
}
