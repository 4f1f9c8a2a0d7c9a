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
 * The listeners of all channels of one server, and the connection that serves them.
 *
 * <p>One thread opens the connection, waits for its end, and opens it again. Subscriptions are sent under the same lock
 * that guards the table of listeners, so that the last command that the server receives matches the table.
 */
final class Subscriptions implements SubscriptionSource.Receiver {
    private static final System.Logger LOG = System.getLogger(Subscriptions.class.getName());
    private static final long MIN_DELAY = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_DELAY = TimeUnit.SECONDS.toNanos(1);

    /** A connection that lasts this long resets the pause before the next one. */
    private static final long LASTING = TimeUnit.SECONDS.toNanos(5);

    private static final long FIRST_DOUBT = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_DOUBT = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_DOUBLINGS = 8;

    /** The interval of heartbeats on a silent connection, and the time for the reply. */
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

    /** The number of closes due to persistent doubts, and the time of the last one. */
    private int doubts;

    private long doubtedNanos;

    /** The number of messages from the server so far. */
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

    /** Adds a listener. */
    Watch add(String channel, RedisNode.Listener listener) {
        Member member = new Member(channel, listener);
        lock.lock();
        try {
            if (closed) {
                return Watch.NONE;
            }
            listeners.merge(channel, Set.of(member), Subscriptions::union);
            // Sent even if the channel is subscribed already: only a new confirmation tells this listener that its
            // subscription has begun.
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
                // The subscription stays; the next listener tries again.
                log(
                        Level.WARNING,
                        "no thread could be started that checks whether " + failures.server() + " still answers",
                        e);
            }
        }
    }

    /** Returns whether the server has confirmed a channel on the current connection. */
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

    /** Sends over the current connection. If that fails, the thread opens another one and sends all subscriptions. */
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
                // The thread must not die: nothing restarts it.
                complain(e);
            }
            pause();
        }
    }

    /** Logs a failure once until a subscription succeeds. */
    private void complain(Throwable reason) {
        if (!complained.getAndSet(true)) {
            // An unexpected failure is logged with its stack.
            Object words = reason instanceof LockBackendException ? reason.getMessage() : reason;
            log(Level.WARNING, "cannot listen for released locks, waiters will poll: " + words, null);
        }
    }

    /** Logs, and ignores exceptions of log handlers, which must not end the thread. */
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            LOG.log(level, message, cause);
        } catch (Throwable e) {
            // The log has failed, so the failure cannot be reported.
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

    /**
     * Closes the current connection, so that the thread opens another one, with growing pauses while doubts persist.
     */
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

    /** Closes a connection on which the server does not answer a heartbeat: it may have ended without notice. */
    private void beat() {
        Heartbeat last = new Heartbeat(null, 0, env.nanoTime());
        while (!isClosed()) {
            try {
                last = beat(last);
            } catch (Throwable e) {
                // The thread must not die: nothing restarts it.
                log(Level.WARNING, "could not check whether " + failures.server() + " still answers", e);
            }
            sleep(HEARTBEAT);
        }
    }

    /** A heartbeat that was sent: the connection, the number of messages by then, and the time. */
    private record Heartbeat(SubscriptionSource.@Nullable Line line, long heard, long nanos) {}

    private Heartbeat beat(Heartbeat last) {
        boolean silent;
        Heartbeat now;
        lock.lock();
        try {
            now = new Heartbeat(line, heard.get(), env.nanoTime());
            // After a pause of the process, replies may still be unread.
            boolean stoodStill = now.nanos - last.nanos > 2 * HEARTBEAT;
            SubscriptionSource.Line present = line;
            silent = present != null && present.equals(last.line) && now.heard == last.heard && !stoodStill;
            if (present != null && (silent || present.isExpiring())) {
                // The connection accepts commands for channels only, so it cannot log in again.
                present.close();
            } else {
                send(SubscriptionSource.Line::ping);
                Set<String> missing = new HashSet<>(listeners.keySet());
                missing.removeAll(confirmed);
                if (!missing.isEmpty() && present != null && present.equals(last.line)) {
                    // The subscriptions were refused, perhaps temporarily. On a new connection they may still be in
                    // flight.
                    send(it -> it.subscribe(missing));
                }
            }
        } finally {
            lock.unlock();
        }
        if (silent) {
            log(
                    Level.INFO,
                    failures.server() + " does not answer on the subscription connection, which is opened again",
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
                // The server has refused a heartbeat.
                return;
            }
        } finally {
            lock.unlock();
        }
        complain(failures.answered(RedisCommand.of("SUBSCRIBE"), error));
    }

    /** Ends all subscriptions. The thread ends soon after. */
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
