// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.jedis.JedisChannel;
import dev.interlock.redis.client.jedis.JedisDialer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One connection and its outstanding tickets: those that were written, in the order in which the server answers them.
 *
 * <p>All methods are for the leader, except {@link #writeBehind}, {@link #abandon} and the queries. Commands and undos
 * are written and recorded as outstanding under one lock, so that both have the same order.
 */
final class Pipe {
    /** The time for which a connection counts as alive after the server has answered on it. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The longest wait for a sign of life: a new connection takes no longer. */
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    /** The most unanswered bytes with which more is written, undos apart. */
    private static final int MOST_BEHIND = 48 * 1024;

    /** The most bytes that may be unanswered. The send buffer takes as much, so that no write ever blocks. */
    private static final int MOST_UNANSWERED = 128 * 1024;

    private final Environment env;
    private final JedisDialer dialer;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<Ticket> owed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Batch batch = new Batch();
    private final LatencyEstimate latency = new LatencyEstimate();
    private @Nullable JedisChannel channel;
    private boolean closed;
    private volatile long openedNanos;
    private volatile long heardNanos;
    private volatile boolean open;

    Pipe(Environment env, JedisDialer dialer) {
        this.env = env;
        this.dialer = dialer;
        this.openedNanos = env.nanoTime();
        this.heardNanos = openedNanos;
    }

    /** Returns whether the connection is open. */
    boolean isOpen() {
        return open;
    }

    long openedNanos() {
        return openedNanos;
    }

    /** Returns the time of the server's last sign of life. */
    long heardNanos() {
        return heardNanos;
    }

    /**
     * Connects and logs in.
     *
     * @throws dev.interlock.LockBackendException if that fails
     */
    void open(Deadline deadline) {
        channel = dialer.openChannel(deadline);
        openedNanos = env.nanoTime();
        heardNanos = openedNanos;
        open = true;
    }

    /**
     * Returns whether the server still answers: the network may have dropped the connection without notice.
     */
    boolean isAlive(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        if (present.hasUnread()) {
            // Nothing was asked. Unsolicited bytes must not be taken for the next reply.
            return false;
        }
        if (env.nanoTime() - heardNanos < TRUSTED_NANOS) {
            return true;
        }
        Deadline look = deadline.sooner(LONGEST_LOOK, 2);
        byte[] ping = RedisCommand.of("PING").encoded();
        present.write(ping, ping.length);
        if (!present.awaitReply(look)) {
            return false;
        }
        present.read(look);
        heardNanos = env.nanoTime();
        return true;
    }

    /**
     * Logs in again if the current credentials expire soon. The connection must be alive and without outstanding
     * replies.
     *
     * @throws dev.interlock.LockBackendException if that fails
     */
    void renewLogin(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        if (present.isExpiring(env.nanoTime())) {
            dialer.logInAgain(present, deadline);
            heardNanos = env.nanoTime();
        }
    }

    /** Returns whether no reply is outstanding. If so, that stays true until the leader writes. */
    boolean isClear() {
        if (!owed.isEmpty()) {
            return false;
        }
        writing.lock();
        try {
            return owed.isEmpty();
        } finally {
            writing.unlock();
        }
    }

    /**
     * Writes queued tickets, as many as a batch holds. An owner whose time ends meanwhile waits for the lock, so that
     * its undo is written behind its command.
     */
    void write(Intake intake) throws IOException {
        writing.lock();
        try {
            writeBatch(intake);
        } finally {
            writing.unlock();
        }
    }

    /**
     * Writes queued tickets although replies are outstanding, if the server is far away. Called by any thread; a thread
     * that does this does it for all.
     *
     * @return whether anything was written
     */
    boolean writeBehind(Intake intake) throws IOException {
        boolean written = false;
        while (latency.isFar() && intake.first() != null && writing.tryLock()) {
            try {
                if (!mayWriteBehind() || !writeBatch(intake)) {
                    return written;
                }
                written = true;
            } finally {
                writing.unlock();
            }
        }
        return written;
    }

    /** Returns whether the connection is in use and healthy. If not, the leader writes once no reply is outstanding. */
    private boolean mayWriteBehind() throws IOException {
        return !closed
                && !owed.isEmpty()
                && unanswered.get() <= MOST_BEHIND
                && env.nanoTime() - heardNanos < TRUSTED_NANOS
                && !channel().isExpiring(env.nanoTime());
    }

    private boolean writeBatch(Intake intake) throws IOException {
        try {
            intake.moveTo(batch, env.nanoTime());
            if (batch.isEmpty()) {
                return false;
            }
            unanswered.addAndGet(batch.length());
            owed.addAll(batch.tickets());
            channel().write(batch.bytes(), batch.length());
            return true;
        } catch (IOException e) {
            // The last byte was not sent, or the write would have succeeded.
            batch.last().fail(Ticket.State.NOT_SENT, e);
            // Another thread may lead; it will find out by reading.
            close();
            throw e;
        } finally {
            batch.clear();
        }
    }

    /** Returns the first outstanding ticket whose owner waits, if there is one. */
    @Nullable
    Ticket firstAwaited() {
        for (Ticket ticket : owed) {
            if (ticket.isAwaited()) {
                return ticket;
            }
        }
        return null;
    }

    /**
     * Returns whether a reply, or a part of one, has already arrived. More may be written while replies are
     * outstanding, without an end, so only bytes that have arrived count.
     */
    boolean hasUnread() throws IOException {
        return latency.isFar() ? channel().hasBuffered() : channel().hasUnread();
    }

    /** Waits until the next reply begins. Returns {@code false} if it does not begin in time. */
    boolean awaitReply(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        if (present.hasBuffered()) {
            return true;
        }
        if (!present.awaitReply(deadline)) {
            return false;
        }
        latency.note(env.nanoTime() - owed.element().sentNanos());
        return true;
    }

    /**
     * Reads the reply that has begun, and any others to the same ticket that have arrived, and passes them to the
     * ticket.
     */
    void read(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        Ticket ticket = owed.element();
        boolean answered;
        do {
            answered = ticket.answer(present.read(deadline));
        } while (!answered && present.hasBuffered());
        heardNanos = env.nanoTime();
        if (answered) {
            owed.remove();
            unanswered.addAndGet(-ticket.size());
        }
    }

    /**
     * Abandons a ticket for its owner, and writes its undo right behind all that was written so far.
     *
     * @param leads whether it is the leader who leaves
     * @return {@code false} if the owner has something to take, or to lead, instead
     */
    boolean abandon(Ticket ticket, boolean leads) {
        List<RedisCommand> undo = ticket.undo();
        byte[] bytes = encode(undo);
        writing.lock();
        try {
            if (!(leads ? ticket.abandonAsLeader() : ticket.abandon())) {
                return false;
            }
            if (!undo.isEmpty() && !closed && unanswered.get() + bytes.length <= MOST_UNANSWERED) {
                unanswered.addAndGet(bytes.length);
                owed.add(ticket.forUndo(env.nanoTime()));
                channel().write(bytes, bytes.length);
            }
        } catch (IOException e) {
            // The connection is broken, as the leader will find.
        } finally {
            writing.unlock();
        }
        return true;
    }

    /** Encodes commands for one write, so that no part remains unsent. */
    private static byte[] encode(List<RedisCommand> commands) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        commands.forEach(command -> bytes.writeBytes(command.encoded()));
        return bytes.toByteArray();
    }

    /** Closes the connection if no owner waits for a reply. No undo is written after that. */
    boolean closeUnlessAwaited() {
        writing.lock();
        try {
            if (firstAwaited() != null) {
                return false;
            }
            close();
            return true;
        } finally {
            writing.unlock();
        }
    }

    /** Closes the connection and fails all outstanding tickets. */
    void fail(Throwable cause) {
        writing.lock();
        try {
            close();
        } finally {
            writing.unlock();
        }
        for (Ticket ticket = owed.poll(); ticket != null; ticket = owed.poll()) {
            ticket.fail(Ticket.State.BROKEN, cause);
        }
    }

    private void close() {
        open = false;
        closed = true;
        if (channel != null) {
            channel.close();
        }
    }

    private JedisChannel channel() throws IOException {
        if (channel == null) {
            throw new IOException("the connection was not opened");
        }
        return channel;
    }
}
