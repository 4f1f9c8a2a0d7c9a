// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.api.listener.StatusListener;
import org.redisson.client.codec.StringCodec;

/** Listens to channels, and goes on trying where that fails. Safe to use from any thread. */
final class Listening implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Listening.class.getPackageName());

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ClientSource source;
    private final Environment env;
    private final boolean sharded;

    private final Set<Listener> toRetry = ConcurrentHashMap.newKeySet();

    /** How many listen to each channel, where anybody does. */
    private final Map<String, Integer> subscribed = new ConcurrentHashMap<>();

    private final ReentrantLock mutex = new ReentrantLock();
    private @Nullable Thread retrier;
    private volatile boolean closed;

    /**
     * Creates an object that listens to nothing yet.
     *
     * @param source the client
     * @param env time and threads
     * @param sharded whether the messages of a cluster stay on the node of their channel
     */
    Listening(ClientSource source, Environment env, boolean sharded) {
        this.source = source;
        this.env = env;
        this.sharded = sharded;
    }

    /** Runs an action for each message on a channel, and whenever listening has begun or begun again. */
    Watch to(String channel, Runnable onSignal) {
        Listener listener = new Listener(channel, onSignal);
        listener.begin();
        return listener;
    }

    /** Whether a subscription to a channel has succeeded, and has not been given up. */
    boolean isSubscribed(String channel) {
        return subscribed.getOrDefault(channel, 0) > 0;
    }

    private void retryLater(Listener listener) {
        toRetry.add(listener);
        mutex.lock();
        try {
            if (retrier == null && !closed) {
                retrier = env.newThread("interlock-redisson-listen", this::retry);
                retrier.start();
            }
        } finally {
            mutex.unlock();
        }
    }

    private void retry() {
        while (hasMore()) {
            long until = env.nanoTime() + RETRY_NANOS;
            for (long left = RETRY_NANOS; left > 0 && !closed; left = until - env.nanoTime()) {
                env.park(this, left);
            }
            for (Listener listener : List.copyOf(toRetry)) {
                toRetry.remove(listener);
                listener.begin();
            }
        }
    }

    private boolean hasMore() {
        mutex.lock();
        try {
            if (!closed && !toRetry.isEmpty()) {
                return true;
            }
            retrier = null;
            return false;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            if (retrier != null) {
                env.unpark(retrier);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** One interest in one channel. */
    private final class Listener implements Watch, StatusListener {
        private final String channel;
        private final Runnable onSignal;
        private volatile boolean ended;
        private final AtomicReference<@Nullable Runnable> stop = new AtomicReference<>();

        Listener(String channel, Runnable onSignal) {
            this.channel = channel;
            this.onSignal = onSignal;
        }

        void begin() {
            if (ended || closed) {
                return;
            }
            Optional<RedissonClient> client = source.ifConnected();
            if (client.isEmpty()) {
                retryLater(this);
                return;
            }
            CompletableFuture<Integer> status;
            CompletableFuture<Integer> messages;
            RTopic topic;
            try {
                topic = sharded
                        ? client.get().getShardedTopic(channel, StringCodec.INSTANCE)
                        : client.get().getTopic(channel, StringCodec.INSTANCE);
                status = topic.addListenerAsync(this).toCompletableFuture();
                messages = topic.addListenerAsync(String.class, (from, message) -> onSignal.run())
                        .toCompletableFuture();
            } catch (RuntimeException e) {
                failed(e);
                return;
            }
            List<CompletableFuture<Integer>> both = List.of(status, messages);
            CompletableFuture.allOf(status, messages).whenComplete((nothing, failure) -> begun(topic, both, failure));
        }

        private void begun(RTopic topic, List<CompletableFuture<Integer>> listeners, @Nullable Throwable failure) {
            Integer[] ids = listeners.stream()
                    .filter(listener -> !listener.isCompletedExceptionally())
                    .flatMap(listener -> Stream.ofNullable(listener.getNow(null)))
                    .toArray(Integer[]::new);
            Runnable undo = () -> remove(topic, ids);
            if (failure != null) {
                undo.run();
                failed(failure);
                return;
            }
            subscribed.merge(channel, 1, Integer::sum);
            stop.set(undo);
            if (ended) {
                close();
            } else {
                onSignal.run();
            }
        }

        private void remove(RTopic topic, Integer[] ids) {
            if (ids.length == 0) {
                return;
            }
            try {
                topic.removeListenerAsync(ids);
            } catch (RuntimeException e) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "cannot stop to listen to " + channel + ": "
                                + e.getClass().getSimpleName());
            }
        }

        private void failed(Throwable failure) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "cannot listen to " + channel + " yet: "
                            + failure.getClass().getSimpleName());
            retryLater(this);
        }

        @Override
        public void onSubscribe(String from) {
            onSignal.run();
        }

        @Override
        public void onUnsubscribe(String from) {}

        @Override
        public void close() {
            ended = true;
            Runnable undo = stop.getAndSet(null);
            if (undo != null) {
                subscribed.computeIfPresent(channel, (it, count) -> count == 1 ? null : count - 1);
                undo.run();
            }
        }
    }
}
