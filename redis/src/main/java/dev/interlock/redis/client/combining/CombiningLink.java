// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import dev.interlock.redis.client.jedis.JedisChannel;
import dev.interlock.redis.client.jedis.JedisDialer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which callers write by themselves, and read by themselves while they are alone.
 *
 * <p>The thread that finds nobody writing writes for all. See {@link ReplyReader} for who reads.
 */
final class CombiningLink implements RedisLink, ReplyReader.Source {
    private static final System.Logger LOG = System.getLogger(CombiningLink.class.getPackageName());

    /** How long a reply that has begun may take to come in full. */
    private static final Duration LONGEST_REPLY = Duration.ofSeconds(5);

    /** How much is written at once, at most, so that the server begins to answer. */
    private static final int MOST_BYTES = 16 * 1024;

    private final Environment env;
    private final Failures failures;
    private final JedisDialer dialer;
    private final JedisChannel channel;
    private final Consumer<CombiningLink> onEnd;
    private final ReplyReader reader;

    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<Transmission> outgoing = new ConcurrentLinkedQueue<>();

    /** What was written, in the order in which the server answers. Polled by whoever may read, or when nobody will any more. */
    private final Queue<Transmission> owed = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    private final AtomicBoolean loggingIn = new AtomicBoolean();

    /** Whether nobody will read any more, so that what is owed has failed. */
    private volatile boolean abandoned;

    /** @param onEnd told once, when the connection has ended */
    CombiningLink(
            Environment env,
            Failures failures,
            JedisDialer dialer,
            JedisChannel channel,
            Consumer<CombiningLink> onEnd) {
        this.env = env;
        this.failures = failures;
        this.dialer = dialer;
        this.channel = channel;
        this.onEnd = onEnd;
        this.reader = new ReplyReader(env, this);
    }

    @Override
    public Sent send(RedisCommand command, Consumer<Reply> onReply) {
        logInAgainIfDue();
        Transmission transmission = new Transmission(command, onReply);
        put(transmission);
        return transmission;
    }

    private void put(Transmission transmission) {
        outgoing.add(transmission);
        while (!outgoing.isEmpty() && writing.tryLock()) {
            try {
                write();
            } finally {
                writing.unlock();
            }
        }
        reader.noteSent();
    }

    /** Writes what waits; under the lock. */
    private void write() {
        List<Transmission> batch = new ArrayList<>();
        Transmission next = outgoing.poll();
        while (next != null) {
            ByteArrayOutputStream more = null;
            byte[] bytes = next.bytes();
            batch.add(next);
            next = outgoing.poll();
            while (next != null && (more == null ? bytes.length : more.size()) < MOST_BYTES) {
                if (more == null) {
                    more = new ByteArrayOutputStream(MOST_BYTES);
                    more.writeBytes(bytes);
                }
                more.writeBytes(next.bytes());
                batch.add(next);
                next = outgoing.poll();
            }
            write(batch, more == null ? bytes : more.toByteArray());
            batch.clear();
        }
    }

    private void write(List<Transmission> batch, byte[] bytes) {
        Throwable ended = end.get();
        if (ended != null) {
            batch.forEach(transmission -> transmission.failUnsent(ended));
            return;
        }
        owed.addAll(batch);
        try {
            channel.write(bytes, bytes.length);
        } catch (IOException e) {
            // With its last byte the write would have succeeded.
            batch.get(batch.size() - 1).unsent = true;
            end(e);
        }
        if (abandoned) {
            failOwed();
        }
    }

    @Override
    public boolean readReplies(BooleanSupplier enough) {
        return reader.read(enough);
    }

    @Override
    public void readInBackground() {
        reader.readInBackground();
    }

    @Override
    public boolean isOwed() {
        return !owed.isEmpty();
    }

    @Override
    public boolean hasUnread() throws IOException {
        return channel.hasUnread();
    }

    @Override
    public boolean readNext(Deadline deadline) throws IOException {
        if (!channel.awaitReply(deadline)) {
            return false;
        }
        Object reply = channel.read(new Deadline(env, LONGEST_REPLY));
        Transmission transmission = owed.poll();
        if (transmission == null) {
            throw new IOException("the server sent a reply that nobody asked for");
        }
        transmission.settle(reply);
        return true;
    }

    @Override
    public boolean isOpen() {
        return end.get() == null;
    }

    @Override
    public void end(Throwable cause) {
        if (end.compareAndSet(null, cause)) {
            channel.abort();
            ended();
        }
    }

    @Override
    public void close() {
        if (end.compareAndSet(null, new IOException("the connection was closed by this program"))) {
            channel.close();
            ended();
        }
    }

    @Override
    public void abort() {
        end(new IOException("the connection was given up by this program"));
    }

    private void ended() {
        reader.stop();
        onEnd.accept(this);
    }

    @Override
    public void abandon() {
        abandoned = true;
        failOwed();
    }

    private void failOwed() {
        Throwable cause = end.get();
        for (Transmission each = owed.poll(); each != null; each = owed.poll()) {
            each.fail(cause == null ? new IOException("the connection has ended") : cause);
        }
    }

    /** Logs in again, ahead of what is sent after that; the connection goes on meanwhile. */
    private void logInAgainIfDue() {
        if (channel.isExpiring(env.nanoTime()) && !loggingIn.getAndSet(true)) {
            // The application's supplier of credentials may block.
            env.newThread("interlock-credentials", this::logInAgain).start();
        }
    }

    private void logInAgain() {
        try {
            Optional<Login> login = dialer.nextLogin();
            if (login.isPresent()) {
                put(new Transmission(login.get().command(), reply -> {
                    if (reply instanceof Reply.Failed failed) {
                        // A new connection says why.
                        end(failed.cause());
                    }
                    channel.loggedIn(login);
                    loggingIn.set(false);
                }));
                reader.readInBackground();
            }
        } catch (Throwable e) {
            end(e);
        }
    }

    private final class Transmission implements Sent {
        private final RedisCommand command;
        private final Consumer<Reply> onReply;
        private final AtomicBoolean last;
        private volatile RedisCommand form;

        /** Whether it was certainly not written in full. Set by the thread that writes. */
        private volatile boolean unsent;

        Transmission(RedisCommand command, Consumer<Reply> onReply) {
            this.command = command;
            this.onReply = onReply;
            this.last = new AtomicBoolean(!command.isScript());
            this.form = command;
        }

        byte[] bytes() {
            return form.encoded();
        }

        void settle(@Nullable Object reply) {
            if (!(reply instanceof ServerError error)) {
                tell(new Reply.Value(reply));
            } else if (error.isNoScript() && last.compareAndSet(false, true)) {
                form = command.inFull();
                put(this);
            } else {
                tell(new Reply.Failed(failures.answered(command, error)));
            }
        }

        void failUnsent(Throwable cause) {
            unsent = true;
            fail(cause);
        }

        void fail(Throwable cause) {
            tell(new Reply.Failed(
                    unsent ? failures.notSent(command, new NotSentException(cause)) : failures.broken(command, cause)));
        }

        private void tell(Reply reply) {
            try {
                onReply.accept(reply);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener to replies failed", e);
            }
        }

        @Override
        public void doNotRepeat() {
            last.set(true);
        }
    }
}
