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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes or deletes a key if it has an expected value. Uses a transaction, which needs no scripts. A server whose
 * memory is full refuses transactions; it gets a script that may run all the same.
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

    /**
     * Replaces the value of a key if it equals the expected one, without waiting behind acquisitions for a connection.
     * Returns the previous value, {@code null} if there was none.
     */
    @Nullable
    String replaceIfEqual(String key, String expected, String next, long untilNanos) {
        return orInFullMemory(
                () -> node.transactWhereEqual(
                                List.of(key),
                                List.of(expected),
                                List.of(RedisCommand.of("GETSET", key, next)),
                                left(untilNanos))
                        .get(0),
                () -> node.callUrgently(script(key, expected, next), left(untilNanos)),
                untilNanos);
    }

    /** Deletes a key if it has the expected value. Returns the previous value, {@code null} if there was none. */
    @Nullable
    String deleteIfEqual(String key, String expected, long untilNanos) {
        return orInFullMemory(
                () -> node.transactIfEqual(key, expected, List.of(RedisCommand.of("DEL", key)), left(untilNanos)),
                () -> node.call(script(key, expected, DELETE), left(untilNanos)),
                untilNanos);
    }

    private static RedisCommand script(String key, String expected, String next) {
        return RedisCommand.script(SCRIPT, List.of(key), List.of(expected, next));
    }

    private @Nullable String orInFullMemory(
            Supplier<@Nullable String> transaction, Supplier<@Nullable Object> script, long untilNanos) {
        try {
            return transaction.get();
        } catch (LockBackendException e) {
            if (e.reason() != Reason.UNREACHABLE || untilNanos - env.nanoTime() <= 0) {
                throw e;
            }
            return inFullMemory(script, e);
        }
    }

    private static @Nullable String inFullMemory(Supplier<@Nullable Object> script, LockBackendException refusal) {
        try {
            return (String) script.get();
        } catch (LockBackendException e) {
            // The first failure is more informative: the user may lack the permission for scripts, or the server may be
            // gone.
            throw e.reason() == Reason.OUTCOME_UNKNOWN ? e : refusal;
        }
    }

    /** Returns the rest of the time-out that all steps of a request share. */
    Duration left(long untilNanos) {
        return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), untilNanos - env.nanoTime()));
    }
}
