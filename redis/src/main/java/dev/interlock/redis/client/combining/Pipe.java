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
 * One connection, and what is owed on it: the tickets that were written, in the order in which the server answers them.
 *
 * <p>All methods are for the leader, but for {@link #writeBehind}, {@link #abandon} and those that only look. Commands and undos are written under one
 * lock, together with the note that their replies are owed, so that both have the same order.
 */
final class Pipe {
    /** For how long a connection on which the server has answered is believed to be there. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long one that may be gone is waited for, at most: a new one takes no longer. */
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    /** What may be unanswered when more is written, undos apart. */
    private static final int MOST_BEHIND = 48 * 1024;

    /** What may be written without an answer. The system takes as much at once, so that no write ever blocks. */
    private static final int MOST_UNANSWERED = 128 * 1024;

    private final Environment env;
    private final JedisDialer dialer;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<Ticket> owed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Batch batch = new Batch();
    private final Distance distance = new Distance();
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

    /** Whether it was opened, and not closed since. */
    boolean isOpen() {
        return open;
    }

    long openedNanos() {
        return openedNanos;
    }

    /** When the server last showed that it is there. */
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

    /** Whether the server is still there: the network may have forgotten the connection without our being told. */
    boolean isAlive(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        if (present.hasUnread()) {
            // Nothing was asked. What came unasked must not be taken for the answer to the next command.
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
     * Logs in with new credentials, if those in use expire soon. For a connection that is alive, and on which no reply is owed.
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

    /** Whether no reply is owed; if so, none will be until the leader writes. */
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
     * Writes at once what waits, as much as a batch holds. An owner whose time is up meanwhile waits for the lock, so that its undo
     * is written behind its command.
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
     * Writes what waits though replies are owed, if the server is far away. For any thread; while one does this, it does it for all.
     *
     * @return whether anything was written
     */
    boolean writeBehind(Intake intake) throws IOException {
        boolean written = false;
        while (distance.isFar() && intake.first() != null && writing.tryLock()) {
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

    /** Whether the connection is in use and well; otherwise the leader writes, once no reply is owed. */
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
            // With its last byte the write would have succeeded.
            batch.last().fail(Ticket.State.NOT_SENT, e);
            // Another thread may lead, which finds out by reading.
            close();
            throw e;
        } finally {
            batch.clear();
        }
    }

    /** The first ticket that is owed and whose owner waits for it, if there is one. */
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
     * Whether a reply, or a part of one, has come already. Where more may be written while replies are owed there is no end of that, so
     * that only what is at hand counts.
     */
    boolean hasUnread() throws IOException {
        return distance.isFar() ? channel().hasBuffered() : channel().hasUnread();
    }

    /** Waits until the next reply begins; {@code false} if it does not in time. */
    boolean awaitReply(Deadline deadline) throws IOException {
        JedisChannel present = channel();
        if (present.hasBuffered()) {
            return true;
        }
        if (!present.awaitReply(deadline)) {
            return false;
        }
        distance.note(env.nanoTime() - owed.element().sentNanos());
        return true;
    }

    /** Reads the reply that has begun, and those to the same ticket that have come with it, and hands them to the ticket. */
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
     * The owner of a ticket leaves, and what undoes it is written right behind what was written so far.
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
            // The connection is really broken, as the leader will see.
        } finally {
            writing.unlock();
        }
        return true;
    }

    /** One write, lest a part of it remain unsent. */
    private static byte[] encode(List<RedisCommand> commands) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        commands.forEach(command -> bytes.writeBytes(command.encoded()));
        return bytes.toByteArray();
    }

    /** Closes the connection if nobody waits for what is owed; afterwards nobody writes an undo any more. */
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

    /** Closes the connection; all that is owed fails. */
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
