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
 * The channel on which the releases of one lock are told: its subscription, and who is to be signalled. A monitor;
 * signals are given and requests are sent outside of it.
 */
final class LockChannel implements StatusListener {
    private static final System.Logger LOG = System.getLogger(LockChannel.class.getPackageName());

    private enum State {
        /** Not subscribed, and to be tried. */
        NEW,
        BEGINNING,
        LISTENING,
        ENDED
    }

    private final String name;
    private final Listening listening;
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Interest> interests = new ArrayList<>();
    private volatile State state = State.NEW;
    private long unusedSinceNanos;
    private Runnable unsubscription = () -> {};

    /** Whether the lock may have been released since it was last asked for. */
    private volatile boolean heard = true;

    LockChannel(String name, Listening listening) {
        this.name = name;
        this.listening = listening;
    }

    /** Somebody who is to be signalled. */
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

    /** Notes that the lock is about to be asked for: a release before that does not matter to a refusal. */
    void asking() {
        heard = false;
    }

    /**
     * Adds somebody who is to be signalled, which happens at once if a release may have gone unheard since the lock was
     * asked for.
     *
     * @return the end of it, or {@code null} if the channel has ended
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
            unusedSinceNanos = listening.nanoTime();
        } finally {
            mutex.unlock();
        }
        listening.tendLater();
    }

    boolean isListening() {
        return state == State.LISTENING;
    }

    /** Whether the channel is to be subscribed again, or may soon be ended. */
    boolean needsTending() {
        mutex.lock();
        try {
            return state == State.NEW || interests.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Subscribes again if that has failed, and ends the channel if nobody has needed it for long enough.
     *
     * @return whether it has ended
     */
    boolean tend(long lingerNanos) {
        Runnable undo;
        mutex.lock();
        try {
            boolean kept = state != State.NEW && listening.nanoTime() - unusedSinceNanos < lingerNanos;
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

    /** Ends the channel, whoever needs it. */
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

    /** Ends the channel, under the mutex; the caller runs what is returned. */
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
            RTopic topic = listening.topic(name);
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

    /** Listens from now on unless that has failed or the channel has ended meanwhile. */
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
            listening.tendLater();
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
                    "cannot stop to listen to " + name + ": " + e.getClass().getSimpleName());
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

    /** Subscribed for the first time, which is told elsewhere, or again after a connection broke. */
    @Override
    public void onSubscribe(String from) {
        if (isListening()) {
            signal();
        }
    }

    @Override
    public void onUnsubscribe(String from) {}
}
