// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redisson.ScriptSender.Loading;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.scripts.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RScript;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Sends scripts with a {@code WAIT} behind each where the server has replicas, as {@code
 * CommandAsyncService#syncedEval} does for Redisson's own locks: all replicas are waited for, and one that acknowledges
 * is enough. Safe to use from any thread.
 */
final class AcknowledgedSender {
    private final ClientSource source;
    private final ScriptSender scripts;
    private final RedissonKeys keys;
    private final RedissonFailures failures;
    private final Environment env;
    private final ReplicaCounts replicas;

    /** Whether the servers have replicas, as far as the client knows, and support {@code WAIT}. */
    private volatile boolean waits;

    private final boolean required;
    private final Duration patience;

    AcknowledgedSender(
            ClientSource source,
            ScriptSender scripts,
            RedissonKeys keys,
            RedissonShards shards,
            RedissonFailures failures,
            Environment env) {
        Config client = source.config();
        this.source = source;
        this.scripts = scripts;
        this.keys = keys;
        this.failures = failures;
        this.env = env;
        this.replicas = new ReplicaCounts(scripts, keys, shards, env);
        this.waits = !client.isSingleConfig();
        this.required = client.isCheckLockSyncedSlaves();
        this.patience = Duration.ofMillis(client.getSlavesSyncTimeout());
    }

    /**
     * Sends a script, and a wait for replicas behind it if there are some.
     *
     * @param name the lock that decides about the server
     * @throws LockBackendException if the server does not tell how many replicas it has
     */
    ScriptSender.Sent send(
            Script script, String name, List<String> lockKeys, List<Object> arguments, Duration timeout) {
        if (!waits) {
            return scripts.send(script, keys.plainName(name), lockKeys, arguments, timeout);
        }
        long end = env.nanoTime() + timeout.toNanos();
        int count = replicas.of(name, timeout);
        Duration left = atLeastOneMilli(Duration.ofNanos(end - env.nanoTime()));
        if (count == 0) {
            return scripts.send(script, keys.plainName(name), lockKeys, arguments, left);
        }
        Request request = new Request(script, name, lockKeys, arguments, count, left);
        request.begin();
        return request;
    }

    private static Duration atLeastOneMilli(Duration duration) {
        return duration.toMillis() < 1 ? Duration.ofMillis(1) : duration;
    }

    /** A script that was sent, and the wait behind it. Used by one thread. */
    private final class Request implements ScriptSender.Sent {
        private final Script script;
        private final String name;
        private final List<Object> rawKeys;
        private final Object[] arguments;
        private final int count;
        private final Duration timeout;
        private final long end;
        private final Duration wait;

        private CompletableFuture<List<Long>> answer = new CompletableFuture<>();
        private CompletableFuture<BatchResult<?>> both = new CompletableFuture<>();

        Request(
                Script script,
                String name,
                List<String> lockKeys,
                List<Object> arguments,
                int count,
                Duration timeout) {
            this.script = script;
            this.name = name;
            this.rawKeys = ScriptSender.raw(lockKeys);
            this.arguments = arguments.toArray();
            this.count = count;
            this.timeout = timeout;
            this.end = env.nanoTime() + timeout.toNanos();
            // The reply needs some of the time too. A WAIT of zero would have no limit.
            Duration half = timeout.dividedBy(2);
            this.wait = atLeastOneMilli(patience.compareTo(half) < 0 ? patience : half);
        }

        private void begin() {
            try {
                RBatch batch = source.get(timeout)
                        .createBatch(BatchOptions.defaults()
                                .retryAttempts(0)
                                .responseTimeout(
                                        atLeastOneMilli(timeout.minus(wait)).toMillis(), TimeUnit.MILLISECONDS)
                                .sync(count, wait));
                answer = batch.getScript(StringCodec.INSTANCE)
                        .<List<Long>>evalShaAsync(
                                keys.plainName(name),
                                RScript.Mode.READ_WRITE,
                                script.sha1(),
                                RScript.ReturnType.LIST,
                                rawKeys,
                                arguments)
                        .toCompletableFuture();
                both = batch.executeAsync().toCompletableFuture().thenApply(result -> result);
            } catch (RuntimeException e) {
                both = CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public List<Long> answer() {
            Throwable failure = awaitBoth();
            for (Loading loading : Loading.values()) {
                if (failure instanceof RedisNoScriptException) {
                    failure = repeatAfter(loading);
                }
            }
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                return answer.join();
            }
            throw failures.of(failure == null ? new IllegalStateException("no answer") : failure);
        }

        private @Nullable Throwable repeatAfter(Loading loading) {
            try {
                scripts.load(script, keys.lock(name), loading, end, timeout);
            } catch (CompletionException | CancellationException e) {
                return e;
            }
            begin();
            return awaitBoth();
        }

        /** Returns why the script or the wait failed, or {@code null}. */
        private @Nullable Throwable awaitBoth() {
            try {
                scripts.await(both, end, timeout);
                return null;
            } catch (CompletionException e) {
                return e.getCause() == null ? e : e.getCause();
            } catch (CancellationException e) {
                return e;
            }
        }

        @Override
        public void requireCopy() {
            Throwable failure = awaitBoth();
            if (failure != null) {
                if (!RedissonFailures.isUnknownCommand(failure)) {
                    throw failures.acknowledgementUnknown(failure);
                }
                // Redisson does the same; it asks beforehand.
                waits = false;
                return;
            }
            int acknowledged = both.join().getSyncedSlaves();
            if (acknowledged != count) {
                replicas.forget(name);
            }
            if (required && acknowledged == 0 && hasReplicas()) {
                throw failures.notAcknowledged(count, wait);
            }
        }

        /** Asks for the replicas once more, since they may have left. */
        private boolean hasReplicas() {
            try {
                return replicas.of(name, timeout) > 0;
            } catch (LockBackendException e) {
                throw failures.acknowledgementUnknown(e);
            }
        }
    }
}
