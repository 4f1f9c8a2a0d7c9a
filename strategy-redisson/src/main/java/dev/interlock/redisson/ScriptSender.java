// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redisson.scripts.Script;
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
 * Sends each script once through a client. Whatever the client's settings, Redisson repeats nothing, and sends nothing
 * after the caller has given up, so that a following release is not overtaken. Safe to use from any thread.
 */
final class ScriptSender {
    /**
     * The part of the time-out that is added as a grace period: Redisson reports its own time-outs, which say what was
     * sent, slightly late.
     */
    private static final int GRACE_PART = 10;

    private final ClientSource source;
    private final Environment env;
    private final RedissonFailures failures;

    /** The script object that was used last; most requests have the same time-out. */
    private volatile @Nullable Prepared prepared;

    private record Prepared(Duration timeout, RScript sender) {}

    ScriptSender(ClientSource source, Environment env, RedissonFailures failures) {
        this.source = source;
        this.env = env;
        this.failures = failures;
    }

    /** The targets for loading a script that a server does not know, in the order in which they are tried. */
    enum Loading {
        /** The server that is responsible for the key according to the client. */
        AT_HOME,
        /** All servers, since a cluster node has redirected the request to another one. */
        EVERYWHERE
    }

    /** A request that was sent. The thread that sent it waits for the reply. */
    interface Sent {
        /**
         * Waits for the answer.
         *
         * @throws LockBackendException if there is none, or it is an error
         */
        List<Long> answer();

        /**
         * Requires, after the reply, that a replica has acknowledged the script's writes, if that was requested.
         *
         * @throws LockBackendException if none has, or that is not known
         */
        default void requireCopy() {}
    }

    /**
     * Carries out a script.
     *
     * @param script the script, which returns integers
     * @param plainName the name of a lock on the server that the script is for
     * @param keys the keys, as they are
     * @param arguments the arguments
     * @param timeout the longest time to wait for the answer
     * @return the answer
     * @throws LockBackendException if there is none, or it is an error
     */
    List<Long> call(Script script, String plainName, List<String> keys, List<Object> arguments, Duration timeout) {
        return send(script, plainName, keys, arguments, timeout).answer();
    }

    /** Sends a script without waiting for the reply, which must arrive within the time-out. */
    Sent send(Script script, String plainName, List<String> keys, List<Object> arguments, Duration timeout) {
        long end = env.nanoTime() + timeout.toNanos();
        RScript sender = prepared(source.get(timeout), timeout);
        List<Object> rawKeys = raw(keys);
        CompletableFuture<List<Long>> first = begin(sender, script, plainName, rawKeys, arguments);
        return () -> {
            CompletableFuture<List<Long>> sent = first;
            try {
                for (Loading loading : Loading.values()) {
                    try {
                        return await(sent, end, timeout);
                    } catch (CompletionException e) {
                        if (!(e.getCause() instanceof RedisNoScriptException)) {
                            throw e;
                        }
                    }
                    load(script, keys.get(0), loading, end, timeout);
                    sent = begin(sender, script, plainName, rawKeys, arguments);
                }
                return await(sent, end, timeout);
            } catch (CompletionException | CancellationException e) {
                throw failures.of(e);
            }
        };
    }

    /**
     * Returns a script object that sends once and waits for the given time. Cached, since Redisson copies several
     * objects to create one.
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
     * Loads a script.
     *
     * @param key a key that decides about the server
     * @throws CompletionException if the server does not take it
     */
    void load(Script script, String key, Loading loading, long end, Duration timeout) {
        RScript loader = prepared(source.get(timeout), timeout);
        if (loading == Loading.AT_HOME) {
            await(loader.scriptLoadAsync(key, script.source()).toCompletableFuture(), end, timeout);
            return;
        }
        // Failures of other servers do not matter.
        await(
                loader.scriptLoadAsync(script.source()).toCompletableFuture().handle((digest, failure) -> digest),
                end,
                timeout);
    }

    /**
     * Waits for the reply to a request.
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
