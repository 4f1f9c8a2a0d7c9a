// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.jedis.JedisChannel;
import dev.interlock.redis.client.jedis.JedisDialer;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A connection on which callers write, and also read while they are alone. {@link LinkQueue} decides who writes, {@link
 * ReplyReader} who reads.
 */
final class CombiningLink implements RedisLink, ReplyReader.Source {
    /** The time within which a reply that has begun must arrive in full. */
    private static final Duration LONGEST_REPLY = Duration.ofSeconds(5);

    private final Environment env;
    private final Failures failures;
    private final JedisDialer dialer;
    private final JedisChannel channel;
    private final Consumer<CombiningLink> onEnd;
    private final LinkQueue queue;
    private final ReplyReader reader;
    private final AtomicBoolean loggingIn = new AtomicBoolean();

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
        this.queue = new LinkQueue(env, channel, this::end);
        this.reader = new ReplyReader(env, this);
    }

    @Override
    public Sent send(RedisCommand command, Consumer<Reply> onReply) {
        logInAgainIfDue();
        Transmission transmission = new Transmission(failures, command, onReply);
        queue.add(transmission);
        if (queue.hasEnded()) {
            // The thread that ended the connection may have looked before this command was added.
            queue.write();
        }
        reader.noteSent();
        return transmission;
    }

    @Override
    public void flush() {
        if (!reader.isAtWork() || !queue.isBusy()) {
            queue.write();
        }
        if (queue.isWaiting()) {
            // The reader writes the command once replies have arrived.
            reader.readInBackground();
        }
    }

    @Override
    public boolean readReplies(BooleanSupplier enough) {
        return reader.read(enough);
    }

    @Override
    public void readInBackground() {
        flush();
        reader.readInBackground();
    }

    @Override
    public boolean isWaiting() {
        return queue.isWaiting();
    }

    @Override
    public void write() {
        queue.write();
    }

    @Override
    public boolean owes(int count) {
        return queue.owes(count);
    }

    @Override
    public boolean hasBuffered() {
        return channel.hasBuffered();
    }

    @Override
    public boolean hasArrived() throws IOException {
        return channel.hasArrived();
    }

    @Override
    public boolean readNext(Deadline deadline) throws IOException {
        if (!channel.awaitReply(deadline)) {
            return false;
        }
        Object reply = channel.read(new Deadline(env, LONGEST_REPLY));
        Transmission transmission = queue.answered();
        if (transmission == null) {
            throw new IOException("the server sent a reply that nobody asked for");
        }
        transmission.settle(reply).ifPresent(queue::add);
        return true;
    }

    @Override
    public boolean isOpen() {
        return !queue.hasEnded();
    }

    @Override
    public void end(Throwable cause) {
        if (queue.end(cause)) {
            channel.abort();
            ended();
        }
    }

    @Override
    public void close() {
        if (queue.end(new IOException("the connection was closed by this program"))) {
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
        queue.abandon();
    }

    /** Logs in again, ahead of later commands. The connection stays in use meanwhile. */
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
                queue.add(new Transmission(failures, login.get().command(), reply -> {
                    if (reply instanceof Reply.Failed failed) {
                        // A new connection reports why.
                        end(failed.cause());
                    }
                    channel.loggedIn(login);
                    loggingIn.set(false);
                }));
                readInBackground();
            }
        } catch (Throwable e) {
            end(e);
        }
    }
}
