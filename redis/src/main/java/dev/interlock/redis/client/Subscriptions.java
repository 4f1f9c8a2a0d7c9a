// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who listens to which channel, and the connection that serves them all.
 *
 * <p>One thread opens the connection, waits for its end, and opens it again. What is subscribed on it follows from the table of
 * listeners: both change under one lock, so that the last word that the server gets is the right one.
 */
final class Subscriptions implements SubscriptionSource.Receiver {
    private static final System.Logger LOG = System.getLogger(Subscriptions.class.getName());
    private static final long MIN_DELAY = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_DELAY = TimeUnit.SECONDS.toNanos(1);

    /** A connection that has lasted for so long was worth opening. */
    private static final long LASTING = TimeUnit.SECONDS.toNanos(5);

    private static final long FIRST_DOUBT = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_DOUBT = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_DOUBLINGS = 8;

    /** How often a silent server is asked for a sign of life, and how long it has for that. */
    private static final long HEARTBEAT = TimeUnit.SECONDS.toNanos(5);

    private final Environment env;
    private final Failures failures;
    private final SubscriptionSource source;
    private final Runnable onMoved;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Set<Member>> listeners = new HashMap<>();
    private final Set<String> confirmed = new HashSet<>();
    private SubscriptionSource.@Nullable Line line;
    private @Nullable Thread thread;
    private @Nullable Thread heart;
    private boolean closed;

    /** How often the connection was closed because of doubts that went on, and when it was last. */
    private int doubts;

    private long doubtedNanos;

    /** What the server has said so far, in number. */
    private final AtomicLong heard = new AtomicLong();

    private volatile long delay = MIN_DELAY;
    private final AtomicBoolean complained = new AtomicBoolean();

    Subscriptions(Environment env, Failures failures, SubscriptionSource source) {
        this(env, failures, source, () -> {});
    }

    /** @param onMoved run when the server says that a channel is another node's */
    Subscriptions(Environment env, Failures failures, SubscriptionSource source, Runnable onMoved) {
        this.env = env;
        this.failures = failures;
        this.source = source;
        this.onMoved = onMoved;
    }

    /** Begins to listen. */
    Watch add(String channel, RedisNode.Listener listener) {
        Member member = new Member(channel, listener);
        lock.lock();
        try {
            if (closed) {
                return Watch.NONE;
            }
            listeners.merge(channel, Set.of(member), Subscriptions::union);
            // Also where others listen already, because only a new confirmation tells this listener that it has begun
            // to.
            send(it -> it.subscribe(Set.of(channel)));
            env.unpark(listening());
            startHeart();
        } finally {
            lock.unlock();
        }
        return member;
    }

    private Thread listening() {
        Thread present = thread;
        if (present == null) {
            present = env.newThread("interlock-subscriptions", this::run);
            present.start();
            thread = present;
        }
        return present;
    }

    private void startHeart() {
        if (heart == null) {
            try {
                Thread fresh = env.newWaitingThread("interlock-heartbeat", this::beat);
                fresh.start();
                heart = fresh;
            } catch (Throwable e) {
                // Listening goes on without it, and the next listener tries again.
                log(
                        Level.WARNING,
                        "no thread could be started that sees whether " + failures.server() + " is there",
                        e);
            }
        }
    }

    /** Whether the server has confirmed a channel on the present connection. */
    boolean isConfirmed(String channel) {
        lock.lock();
        try {
            return confirmed.contains(channel);
        } finally {
            lock.unlock();
        }
    }

    private static Set<Member> union(Set<Member> some, Set<Member> more) {
        Set<Member> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }

    private void remove(Member member) {
        lock.lock();
        try {
            Set<Member> rest = new HashSet<>(listeners.getOrDefault(member.channel, Set.of()));
            if (!rest.remove(member)) {
                return;
            }
            if (rest.isEmpty()) {
                listeners.remove(member.channel);
                confirmed.remove(member.channel);
                send(it -> it.unsubscribe(member.channel));
            } else {
                listeners.put(member.channel, rest);
            }
        } finally {
            lock.unlock();
        }
    }

    private interface Sending {
        void to(SubscriptionSource.Line line);
    }

    /** Sends over the present connection; where that fails the thread opens another one and sends all. */
    private void send(Sending sending) {
        SubscriptionSource.Line current = line;
        if (current != null) {
            try {
                sending.to(current);
            } catch (RuntimeException e) {
                current.close();
            }
        }
    }

    private void run() {
        while (awaitListeners()) {
            try {
                serve(source.open(this));
            } catch (Throwable e) {
                // Nobody would start this thread again.
                complain(e);
            }
            pause();
        }
    }

    /** Says it once, until a subscription succeeds. */
    private void complain(Throwable reason) {
        if (!complained.getAndSet(true)) {
            // The message alone of a failure that is none of ours would say too little.
            Object words = reason instanceof LockBackendException ? reason.getMessage() : reason;
            log(Level.WARNING, "cannot listen for released locks, waiters will poll: " + words, null);
        }
    }

    /** A log handler that throws must not end the threads. */
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            LOG.log(level, message, cause);
        } catch (Throwable e) {
            // Nobody is left to be told.
        }
    }

    private boolean awaitListeners() {
        while (true) {
            lock.lock();
            try {
                if (closed || !listeners.isEmpty()) {
                    return !closed;
                }
            } finally {
                lock.unlock();
            }
            env.park(this, Long.MAX_VALUE);
        }
    }

    private void serve(SubscriptionSource.Line opened) {
        try {
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                line = opened;
                if (!listeners.isEmpty()) {
                    send(it -> it.subscribe(List.copyOf(listeners.keySet())));
                }
            } finally {
                lock.unlock();
            }
            long since = env.nanoTime();
            opened.listen();
            if (env.nanoTime() - since > LASTING) {
                delay = MIN_DELAY;
            }
        } finally {
            Set<String> ended;
            lock.lock();
            try {
                line = null;
                ended = Set.copyOf(confirmed);
                confirmed.clear();
            } finally {
                lock.unlock();
            }
            opened.close();
            ended.forEach(channel -> tell(channel, RedisNode.Listener::ended));
        }
    }

    /** Closes the present connection, and the thread opens another one; ever less often while doubts go on. */
    void doubt() {
        lock.lock();
        try {
            long now = env.nanoTime();
            if (line == null || (doubts > 0 && now - doubtedNanos < doubtDelay())) {
                return;
            }
            doubts = doubts > 0 && now - doubtedNanos > 2 * LONGEST_DOUBT ? 1 : Math.min(doubts + 1, MOST_DOUBLINGS);
            doubtedNanos = now;
            line.close();
        } finally {
            lock.unlock();
        }
    }

    private long doubtDelay() {
        return Math.min(LONGEST_DOUBT, FIRST_DOUBT << (doubts - 1));
    }

    /** Closes a connection on which the server says nothing, not even when asked: it may have ended without our being told. */
    private void beat() {
        Asked last = new Asked(null, 0, env.nanoTime());
        while (!isClosed()) {
            try {
                last = beat(last);
            } catch (Throwable e) {
                // Nobody would start this thread again.
                log(Level.WARNING, "could not see whether " + failures.server() + " is there", e);
            }
            sleep(HEARTBEAT);
        }
    }

    /** What was asked for a sign of life, how much it had said by then, and when. */
    private record Asked(SubscriptionSource.@Nullable Line line, long heard, long nanos) {}

    private Asked beat(Asked last) {
        boolean silent;
        Asked now;
        lock.lock();
        try {
            now = new Asked(line, heard.get(), env.nanoTime());
            // A process that stood still may not have read yet what has come.
            boolean stoodStill = now.nanos - last.nanos > 2 * HEARTBEAT;
            SubscriptionSource.Line present = line;
            silent = present != null && present.equals(last.line) && now.heard == last.heard && !stoodStill;
            if (present != null && (silent || present.isExpiring())) {
                // Nothing but commands for channels can be sent on it, so it cannot log in anew.
                present.close();
            } else {
                send(SubscriptionSource.Line::ping);
                Set<String> missing = new HashSet<>(listeners.keySet());
                missing.removeAll(confirmed);
                if (!missing.isEmpty() && present != null && present.equals(last.line)) {
                    // Refused, for a while perhaps. On a connection that is new they are just on their way.
                    send(it -> it.subscribe(missing));
                }
            }
        } finally {
            lock.unlock();
        }
        if (silent) {
            log(
                    Level.INFO,
                    failures.server() + " is silent on the connection that listens, which is opened again",
                    null);
        }
        return now;
    }

    /** Waits longer each time until the server confirms a subscription again. */
    private void pause() {
        long nanos = delay / 2 + env.nextLong(delay);
        delay = Math.min(2 * delay, MAX_DELAY);
        sleep(Math.min(nanos, MAX_DELAY));
    }

    private void sleep(long nanos) {
        long end = env.nanoTime() + nanos;
        for (long left = end - env.nanoTime(); left > 0 && !isClosed(); left = end - env.nanoTime()) {
            env.park(this, left);
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void confirmed(String channel) {
        lock.lock();
        try {
            if (line != null && listeners.containsKey(channel)) {
                confirmed.add(channel);
            }
        } finally {
            lock.unlock();
        }
        succeeded();
        tell(channel, RedisNode.Listener::begun);
    }

    @Override
    public void revoked(String channel) {
        alive();
        boolean unasked;
        lock.lock();
        try {
            unasked = confirmed.remove(channel);
        } finally {
            lock.unlock();
        }
        if (unasked) {
            tell(channel, RedisNode.Listener::ended);
        }
    }

    @Override
    public void message(String channel, String text) {
        succeeded();
        tell(channel, listener -> listener.message(text));
    }

    @Override
    public void alive() {
        heard.incrementAndGet();
    }

    private void succeeded() {
        alive();
        complained.set(false);
    }

    private void tell(String channel, Consumer<RedisNode.Listener> what) {
        Set<Member> told;
        lock.lock();
        try {
            told = listeners.getOrDefault(channel, Set.of());
        } finally {
            lock.unlock();
        }
        for (Member member : told) {
            try {
                what.accept(member.listener);
            } catch (RuntimeException e) {
                log(Level.WARNING, "a listener failed", e);
            }
        }
    }

    @Override
    public void refused(ServerError error) {
        alive();
        if (error.isMoved()) {
            onMoved.run();
            return;
        }
        lock.lock();
        try {
            if (confirmed.containsAll(listeners.keySet())) {
                // It was a ping that was refused.
                return;
            }
        } finally {
            lock.unlock();
        }
        complain(failures.answered(RedisCommand.of("SUBSCRIBE"), error));
    }

    /** Ends all listening; its thread ends soon. */
    void close() {
        lock.lock();
        try {
            closed = true;
            listeners.clear();
            if (line != null) {
                line.close();
            }
            if (thread != null) {
                env.unpark(thread);
            }
            if (heart != null) {
                env.unpark(heart);
            }
        } finally {
            lock.unlock();
        }
    }

    private final class Member implements Watch {
        private final String channel;
        private final RedisNode.Listener listener;

        Member(String channel, RedisNode.Listener listener) {
            this.channel = channel;
            this.listener = listener;
        }

        @Override
        public boolean isListening() {
            return isConfirmed(channel);
        }

        @Override
        public void close() {
            remove(this);
        }
    }
}
