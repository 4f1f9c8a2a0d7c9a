// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.codec.StringCodec;

/**
 * Sends scripts through a client, each once: whatever the client's settings, Redisson repeats nothing, and nothing is
 * sent after the caller has given up, so that a release that follows is not overtaken. Safe to use from any thread.
 */
final class ScriptSender {
    /** Redisson tells its own time-outs, which say what was sent, a little late. */
    private static final int GRACE_PART = 10;

    private final ClientSource source;
    private final Environment env;
    private final RedissonFailures failures;

    /** What was used last; most requests have the same time-out. */
    private volatile @Nullable Prepared prepared;

    private record Prepared(Duration timeout, RScript sender) {}

    ScriptSender(ClientSource source, Environment env, RedissonFailures failures) {
        this.source = source;
        this.env = env;
        this.failures = failures;
    }

    /** A request that was sent, to be waited for by the thread that sent it. */
    interface Sent {
        /**
         * Waits for the answer.
         *
         * @throws LockBackendException if there is none, or it is an error
         */
        List<Long> answer();

        /**
         * Makes sure, once there is an answer, that a replica has what the script has written, where that was asked
         * for.
         *
         * @throws LockBackendException if none has, or nobody can say
         */
        default void requireCopy() {}
    }

    /**
     * Carries out a script.
     *
     * @param script the script, which returns integers
     * @param plainName the name of a lock that is on the server in question
     * @param keys the keys, as they are
     * @param arguments the arguments
     * @param timeout the longest time to wait for the answer
     * @return the answer
     * @throws LockBackendException if there is none, or it is an error
     */
    List<Long> call(Script script, String plainName, List<String> keys, List<Object> arguments, Duration timeout) {
        return send(script, plainName, keys, arguments, timeout).answer();
    }

    /** Sends a script, whose answer is to come within a time, and does not wait for it. */
    Sent send(Script script, String plainName, List<String> keys, List<Object> arguments, Duration timeout) {
        long end = env.nanoTime() + timeout.toNanos();
        RScript sender = prepared(source.get(timeout), timeout);
        List<Object> rawKeys = raw(keys);
        CompletableFuture<List<Long>> first = begin(sender, script, plainName, rawKeys, arguments);
        return () -> {
            try {
                return await(first, end, timeout);
            } catch (CompletionException | CancellationException e) {
                if (!(e.getCause() instanceof RedisNoScriptException)) {
                    throw failures.of(e);
                }
            }
            try {
                await(sender.scriptLoadAsync(keys.get(0), script.source()).toCompletableFuture(), end, timeout);
                return await(begin(sender, script, plainName, rawKeys, arguments), end, timeout);
            } catch (CompletionException | CancellationException e) {
                throw failures.of(e);
            }
        };
    }

    /**
     * Returns what sends scripts once and waits so long for their answers. Redisson copies several objects to make one.
     */
    private RScript prepared(RedissonClient client, Duration timeout) {
        Prepared last = prepared;
        if (last == null || !last.timeout.equals(timeout)) {
            last = new Prepared(
                    timeout,
                    client.getScript(OptionalOptions.defaults()
                            .codec(StringCodec.INSTANCE)
                            .retryAttempts(0)
                            .timeout(timeout)));
            prepared = last;
        }
        return last.sender;
    }

    /** Returns keys as bytes, because Redisson maps names that are strings once more. */
    static List<Object> raw(List<String> keys) {
        return keys.stream()
                .<Object>map(key -> key.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static CompletableFuture<List<Long>> begin(
            RScript sender, Script script, String plainName, List<Object> keys, List<Object> arguments) {
        try {
            return sender.<List<Long>>evalShaAsync(
                            plainName,
                            RScript.Mode.READ_WRITE,
                            script.sha1(),
                            RScript.ReturnType.LIST,
                            keys,
                            arguments.toArray())
                    .toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Waits for something that was sent.
     *
     * @param end when it should be there, on the monotonic clock
     * @param timeout how long that is after it was sent
     * @throws CompletionException if it failed
     */
    <T> T await(CompletableFuture<T> future, long end, Duration timeout) {
        Duration left = Duration.ofNanos(end - env.nanoTime()).plus(timeout.dividedBy(GRACE_PART));
        if (!Futures.await(env, future, left)) {
            future.cancel(false);
            throw failures.late(timeout);
        }
        return future.join();
    }
}
