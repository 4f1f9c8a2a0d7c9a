// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.RedisNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes on that a lock may be free, a random moment later: those who wait in several places hear it at once, and would take the
 * servers from each other if they asked at once; and whoever hears it of one server would find that the others have yet to be told.
 * One daemon thread, which starts with the first call. Safe to use from any thread.
 */
public final class WakeUps {
    private static final System.Logger LOG = System.getLogger(WakeUps.class.getPackageName());

    private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Environment env;
    private final Supplier<List<RedisNode>> nodes;
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Call> calls = new PriorityQueue<>(Comparator.comparing(call -> call));
    private @Nullable Thread thread;
    private boolean closed;

    /** Somebody who is to be told at some moment. */
    private record Call(Listener listener, long atNanos) implements Comparable<Call> {
        @Override
        public int compareTo(Call other) {
            return Long.signum(atNanos - other.atNanos);
        }
    }

    /**
     * Creates the wake-ups of a client.
     *
     * @param env time, threads and chance
     * @param nodes tells the servers
     */
    public WakeUps(Environment env, Supplier<List<RedisNode>> nodes) {
        this.env = env;
        this.nodes = nodes;
    }

    /**
     * Listens to a channel of all servers.
     *
     * @param channel the channel
     * @param onFreed run a random moment after a message of any server
     * @return ends the listening
     */
    public Watch watch(String channel, Runnable onFreed) {
        Listener listener = new Listener(onFreed);
        List<Watch> watches = new ArrayList<>();
        for (RedisNode node : nodes.get()) {
            watches.add(node.subscribe(channel, () -> callSoon(listener)));
        }
        return new Watch() {
            // One server that tells of a release is enough.
            @Override
            public boolean isListening() {
                return watches.stream().anyMatch(Watch::isListening);
            }

            @Override
            public void close() {
                watches.forEach(Watch::close);
            }
        };
    }

    private void callSoon(Listener listener) {
        lock.lock();
        try {
            if (closed || listener.called) {
                return;
            }
            listener.called = true;
            Call call = new Call(listener, env.nanoTime() + env.nextLong(SPREAD_NANOS));
            calls.add(call);
            if (thread == null) {
                thread = env.newThread("interlock-redlock-wakeup", this::run);
                thread.start();
            } else if (call.equals(calls.peek())) {
                env.unpark(thread);
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            long left = Long.MAX_VALUE;
            Listener due = null;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                Call next = calls.peek();
                if (next != null) {
                    left = next.atNanos - env.nanoTime();
                    if (left <= 0) {
                        calls.remove();
                        due = next.listener;
                        due.called = false;
                    }
                }
            } finally {
                lock.unlock();
            }
            if (due != null) {
                tell(due);
            } else {
                env.park(this, left);
            }
        }
    }

    private static void tell(Listener due) {
        try {
            due.onFreed.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }

    /** Tells nobody any more. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (thread != null) {
                env.unpark(thread);
            }
        } finally {
            lock.unlock();
        }
    }

    private static final class Listener {
        private final Runnable onFreed;

        /** Whether it is about to be told; under the lock. */
        private boolean called;

        Listener(Runnable onFreed) {
            this.onFreed = onFreed;
        }
    }
}
