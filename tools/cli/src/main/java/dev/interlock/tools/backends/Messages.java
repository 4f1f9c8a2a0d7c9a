// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.LockBackendException;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.testservers.ChildJvmException;
import dev.interlock.testservers.RedisServerException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** The messages of errors for users. */
public final class Messages {
    private static final Pattern USER_INFO =
            Pattern.compile("(rediss?(?:-sentinel|-cluster)?://)(?:(?!,rediss?(?:-sentinel|-cluster)?://)\\S)*@");

    private static final Pattern SENTINEL_LOGIN = Pattern.compile("(sentinel(?:Username|Password)=)[^\\s&#,]*");

    private Messages() {}

    /**
     * Describes an error without a stack trace: by its message, and by its class where the message is not enough.
     *
     * @param error the error
     * @return its description, without passwords
     */
    public static String of(Throwable error) {
        @Nullable String message = error.getMessage();
        boolean explainsItself = error instanceof ToolException
                || error instanceof LockBackendException
                || error instanceof NoSuchLockStrategyException
                || error instanceof RedisServerException
                || error instanceof ChildJvmException
                || error instanceof AssertionError
                || error instanceof TestAbortedException;
        if (message == null) {
            return error.getClass().getName();
        }
        return withoutPasswords(explainsItself ? message : error.getClass().getName() + ": " + message);
    }

    /** Hides user and password of the URIs in a text. */
    public static String withoutPasswords(String text) {
        return SENTINEL_LOGIN
                .matcher(USER_INFO.matcher(text).replaceAll("$1***@"))
                .replaceAll("$1***");
    }
}
