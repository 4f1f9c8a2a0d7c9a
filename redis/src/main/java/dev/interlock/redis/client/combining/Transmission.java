// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that is sent over a {@link CombiningLink}, until its reply was handed on. */
final class Transmission implements RedisLink.Sent {
    private static final System.Logger LOG = System.getLogger(Transmission.class.getPackageName());

    private final Failures failures;
    private final RedisCommand command;
    private final Consumer<RedisLink.Reply> onReply;

    /** Whether it is not sent in full any more, or was. */
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

    /** What goes over the wire. */
    byte[] bytes() {
        return form.encoded();
    }

    /** Notes that it was certainly not written in full. */
    void noteUnsent() {
        unsent = true;
    }

    /**
     * Hands a reply on.
     *
     * @return {@code false} if the server does not know the script, which is to be sent in full instead
     */
    boolean settle(@Nullable Object reply) {
        if (!(reply instanceof ServerError error)) {
            tell(new RedisLink.Reply.Value(reply));
        } else if (error.isNoScript() && last.compareAndSet(false, true)) {
            form = command.inFull();
            return false;
        } else {
            tell(new RedisLink.Reply.Failed(failures.answered(command, error)));
        }
        return true;
    }

    /** Hands on that there will be no reply. */
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
