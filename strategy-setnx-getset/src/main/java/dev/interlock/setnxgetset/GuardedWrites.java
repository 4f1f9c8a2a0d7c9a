// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes or deletes a key if it holds a value: in a transaction, as a server without scripts can do it. A server whose memory is full
 * refuses that, and is sent a script that may run all the same.
 */
final class GuardedWrites {
    private static final LuaScript SCRIPT = LuaScript.load(GuardedWrites.class, "guarded.lua");
    private static final String DELETE = "";

    private final RedisNode node;
    private final Environment env;

    GuardedWrites(RedisNode node, Environment env) {
        this.node = node;
        this.env = env;
    }

    /** Replaces what a key holds if that is equal to a text; returns what it held, {@code null} if nothing. */
    @Nullable
    String replaceIfEqual(String key, String expected, String next, long untilNanos) {
        return ifEqual(key, expected, RedisCommand.of("GETSET", key, next), next, untilNanos);
    }

    /** Deletes a key if it holds a text; returns what it held, {@code null} if nothing. */
    @Nullable
    String deleteIfEqual(String key, String expected, long untilNanos) {
        return ifEqual(key, expected, RedisCommand.of("DEL", key), DELETE, untilNanos);
    }

    private @Nullable String ifEqual(String key, String expected, RedisCommand command, String next, long untilNanos) {
        try {
            return node.transactIfEqual(key, expected, List.of(command), left(untilNanos));
        } catch (LockBackendException e) {
            if (e.reason() != Reason.UNREACHABLE || untilNanos - env.nanoTime() <= 0) {
                throw e;
            }
            return inFullMemory(key, expected, next, untilNanos, e);
        }
    }

    private @Nullable String inFullMemory(
            String key, String expected, String next, long untilNanos, LockBackendException refusal) {
        try {
            return (String)
                    node.call(RedisCommand.script(SCRIPT, List.of(key), List.of(expected, next)), left(untilNanos));
        } catch (LockBackendException e) {
            // Otherwise the first failure says better what is wrong: there may be no permission for scripts, or no
            // server.
            throw e.reason() == Reason.OUTCOME_UNKNOWN ? e : refusal;
        }
    }

    /** What is left of one time-out for all steps of a request. */
    Duration left(long untilNanos) {
        return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), untilNanos - env.nanoTime()));
    }
}
