// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.protocol.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;

/**
 * The channel on which releases of one lock are announced: its subscription and its listeners. A monitor; callbacks
 * run, and requests are sent, after it is released.
 */
final class LockChannel implements StatusListener {
    private static final System.Logger LOG = System.getLogger(LockChannel.class.getPackageName());

    private enum State {
        /** Not subscribed; a subscription is to be tried. */
        NEW,
        BEGINNING,
        LISTENING,
        ENDED
    }

    private final String name;
    private final LockChannels channels;
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Interest> interests = new ArrayList<>();
    private volatile State state = State.NEW;
    private long unusedSinceNanos;
    private Runnable unsubscription = () -> {};

    /** Whether the lock may have been released since it was last requested. */
    private volatile boolean heard = true;

    LockChannel(String name, LockChannels channels) {
        this.name = name;
        this.channels = channels;
    }

    /** A listener of releases. */
    private final class Interest implements Watch {
        final Runnable onSignal;

        Interest(Runnable onSignal) {
            this.onSignal = onSignal;
        }

        @Override
        public void close() {
            removed(this);
        }
    }

    /** Records that the lock is about to be requested: earlier releases do not matter to the reply. */
    void asking() {
        heard = false;
    }

    /**
     * Adds a listener. It is signalled at once if a release may have been missed since the lock was requested.
     *
     * @return the watch, or {@code null} if the channel has ended
     */
    @Nullable
    Watch add(Runnable onSignal) {
        Interest interest = new Interest(onSignal);
        boolean listens;
        mutex.lock();
        try {
            if (state == State.ENDED) {
                return null;
            }
            interests.add(interest);
            listens = state == State.LISTENING;
        } finally {
            mutex.unlock();
        }
        if (!listens) {
            begin();
        } else if (heard) {
            onSignal.run();
        }
        return interest;
    }

    private void removed(Interest interest) {
        mutex.lock();
        try {
            if (!interests.remove(interest) || !interests.isEmpty()) {
                return;
            }
            unusedSinceNanos = channels.nanoTime();
        } finally {
            mutex.unlock();
        }
        channels.tendLater();
    }

    boolean isListening() {
        return state == State.LISTENING;
    }

    /** Returns whether the channel needs a new subscription, or may soon be closed. */
    boolean needsTending() {
        mutex.lock();
        try {
            return state == State.NEW || interests.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Subscribes again after a failure, and closes the channel if it has been unused for long enough.
     *
     * @return whether it has ended
     */
    boolean tend(long lingerNanos) {
        Runnable undo;
        mutex.lock();
        try {
            boolean kept = state != State.NEW && channels.nanoTime() - unusedSinceNanos < lingerNanos;
            boolean used = kept || !interests.isEmpty();
            undo = used ? null : ended();
        } finally {
            mutex.unlock();
        }
        if (undo == null) {
            begin();
            return false;
        }
        undo.run();
        return true;
    }

    /** Closes the channel, even if it is in use. */
    void end() {
        Runnable undo;
        mutex.lock();
        try {
            undo = ended();
        } finally {
            mutex.unlock();
        }
        undo.run();
    }

    /** Closes the channel, under the mutex. The caller runs the returned action. */
    private Runnable ended() {
        state = State.ENDED;
        Runnable undo = unsubscription;
        unsubscription = () -> {};
        return undo;
    }

    private void begin() {
        mutex.lock();
        try {
            if (state != State.NEW) {
                return;
            }
            state = State.BEGINNING;
        } finally {
            mutex.unlock();
        }
        try {
            RTopic topic = channels.topic(name);
            CompletableFuture<Integer> status = topic.addListenerAsync(this).toCompletableFuture();
            CompletableFuture<Integer> messages = topic.addListenerAsync(String.class, (from, message) -> signal())
                    .toCompletableFuture();
            List<CompletableFuture<Integer>> both = List.of(status, messages);
            CompletableFuture.allOf(status, messages).whenComplete((nothing, failure) -> begun(topic, both, failure));
        } catch (RuntimeException e) {
            decide(() -> {}, e);
        }
    }

    private void begun(RTopic topic, List<CompletableFuture<Integer>> listeners, @Nullable Throwable failure) {
        Integer[] ids = listeners.stream()
                .filter(listener -> !listener.isCompletedExceptionally())
                .flatMap(listener -> Stream.ofNullable(listener.getNow(null)))
                .toArray(Integer[]::new);
        decide(() -> remove(topic, ids), failure);
    }

    /** Completes a subscription, unless it has failed or the channel was closed meanwhile. */
    private void decide(Runnable undo, @Nullable Throwable failure) {
        boolean listens;
        mutex.lock();
        try {
            listens = failure == null && state == State.BEGINNING;
            if (listens) {
                state = State.LISTENING;
                unsubscription = undo;
            } else if (state == State.BEGINNING) {
                state = State.NEW;
            }
        } finally {
            mutex.unlock();
        }
        if (listens) {
            signal();
            return;
        }
        undo.run();
        if (failure != null) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "cannot listen to " + name + " yet: " + failure.getClass().getSimpleName());
            channels.tendLater();
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
                    "cannot stop listening to " + name + ": " + e.getClass().getSimpleName());
        }
    }

    private void signal() {
        heard = true;
        List<Interest> all;
        mutex.lock();
        try {
            all = List.copyOf(interests);
        } finally {
            mutex.unlock();
        }
        all.forEach(interest -> interest.onSignal.run());
    }

    /** Called for the first subscription, which is handled elsewhere, and again after a reconnection. */
    @Override
    public void onSubscribe(String from) {
        if (isListening()) {
            signal();
        }
    }

    @Override
    public void onUnsubscribe(String from) {}
}
