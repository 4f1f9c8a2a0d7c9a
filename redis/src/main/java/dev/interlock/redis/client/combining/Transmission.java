// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that was sent over a {@link CombiningLink} and waits for its reply. */
final class Transmission implements RedisLink.Sent {
    private static final System.Logger LOG = System.getLogger(Transmission.class.getPackageName());

    private final Failures failures;
    private final RedisCommand command;
    private final Consumer<RedisLink.Reply> onReply;

    /** Set once the script was sent in full, or must not be sent in full any more. */
    private final AtomicBoolean last;

    private volatile RedisCommand form;
    private volatile boolean unsent;

    Transmission(Failures failures, RedisCommand command, Consumer<RedisLink.Reply> onReply) {
        this.failures = failures;
        this.command = command;
        this.onReply = onReply;
        this.last = new AtomicBoolean(!command.isScript());
        this.form = command;
    }

    /** Returns the encoded command. */
    byte[] bytes() {
        return form.encoded();
    }

    /** Records that the command was certainly not written in full. */
    void noteUnsent() {
        unsent = true;
    }

    /**
     * Passes a reply on.
     *
     * @return what is to be sent because the server does not know the script: the script in full or, where that is
     *     forbidden, what lets the server know it the next time; otherwise nothing
     */
    Optional<Transmission> settle(@Nullable Object reply) {
        if (!(reply instanceof ServerError error)) {
            tell(new RedisLink.Reply.Value(reply));
            return Optional.empty();
        }
        if (error.isNoScript() && last.compareAndSet(false, true)) {
            form = command.inFull();
            return Optional.of(this);
        }
        tell(failures.reply(command, error));
        return error.isNoScript()
                ? form.loading().map(loading -> new Transmission(failures, loading, ignored -> {}))
                : Optional.empty();
    }

    /** Reports that there will be no reply. */
    void fail(Throwable cause) {
        tell(new RedisLink.Reply.Failed(
                unsent ? failures.notSent(command, new NotSentException(cause)) : failures.broken(command, cause)));
    }

    private void tell(RedisLink.Reply reply) {
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
