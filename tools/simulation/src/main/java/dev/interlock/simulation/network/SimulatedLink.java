// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.NotSentException;
import dev.interlock.redis.client.ServerError;
import dev.interlock.simulation.server.Answer;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection over which a client sends without waiting, as {@link RedisLink} says that it behaves. It either reads
 * replies as they arrive, or leaves that to whoever asks for it, and to a thread that looks now and then.
 */
final class SimulatedLink implements RedisLink {
    /** For how long a caller that reads waits for a reply. */
    private static final long PATIENCE_NANOS = 2_000_000;

    /** For how long callers do not wait again after a wait in vain. */
    private static final long PENALTY_NANOS = 10_000_000;

    /** Replies that nobody reads are read after this time at the latest. */
    private static final int SWEEP_NANOS = 10_000_000;

    private final SimulatedNode node;
    private final Line line;
    private final VirtualTime time;
    private final VirtualMachine machine;
    private final MessageDelays delays;
    private final Failures failures;
    private final boolean readsAtOnce;

    private final Deque<Transmission> unsent = new ArrayDeque<>();
    private final Deque<Transmission> owed = new ArrayDeque<>();
    private final Deque<Runnable> arrived = new ArrayDeque<>();

    /** Whether replies are read as they arrive until none is owed. */
    private boolean wanted;

    private @Nullable Thread reader;
    private boolean reading;
    private long slowUntilNanos;
    private boolean ended;

    /** A command, and who waits for its reply. */
    private static final class Transmission implements Sent {
        private final RedisCommand command;
        private final Consumer<Reply> onReply;
        private RedisCommand form;

        /** Whether it is not sent in full any more, or was. */
        private boolean last;

        Transmission(RedisCommand command, Consumer<Reply> onReply) {
            this.command = command;
            this.form = command;
            this.onReply = onReply;
            this.last = !command.isScript();
        }

        @Override
        public void doNotRepeat() {
            last = true;
        }

        void tell(Reply reply) {
            try {
                onReply.accept(reply);
            } catch (RuntimeException e) {
                throw new IllegalStateException("a listener to replies failed with " + e, e);
            }
        }
    }

    SimulatedLink(
            SimulatedNode node,
            Line line,
            VirtualTime time,
            VirtualMachine machine,
            MessageDelays delays,
            String server,
            boolean readsAtOnce) {
        this.node = node;
        this.line = line;
        this.time = time;
        this.machine = machine;
        this.delays = delays;
        this.failures = new Failures(machine, server);
        this.readsAtOnce = readsAtOnce;
        this.slowUntilNanos = machine.nanoTime();
    }

    boolean isOver(Line one) {
        return line == one;
    }

    @Override
    public Sent send(RedisCommand command, Consumer<Reply> onReply) {
        Transmission transmission = new Transmission(command, onReply);
        unsent.add(transmission);
        if (ended || readsAtOnce) {
            flush();
        }
        return transmission;
    }

    @Override
    public void flush() {
        for (Transmission next = unsent.poll(); next != null; next = unsent.poll()) {
            Transmission sent = next;
            if (ended) {
                sent.tell(new Reply.Failed(failures.notSent(sent.command, new NotSentException(hasEnded()))));
            } else {
                owed.add(sent);
                node.send(line, sent.form, reply -> arrive(sent, reply));
            }
        }
    }

    private static IOException hasEnded() {
        return new IOException("the connection has ended");
    }

    /** A reply has arrived, and waits to be read. */
    private void arrive(Transmission answered, @Nullable Object reply) {
        arrived.add(() -> settle(answered, reply));
        Thread waiting = reader;
        if (waiting != null) {
            machine.unpark(waiting);
        } else if (readsAtOnce || wanted) {
            machine.run(this::read);
        } else {
            time.callIn(delays.oneOf(SWEEP_NANOS), () -> machine.run(this::read));
        }
    }

    /** Reads what has arrived. */
    private void read() {
        if (reading) {
            return;
        }
        reading = true;
        try {
            for (Runnable next = arrived.poll(); next != null && !ended; next = arrived.poll()) {
                next.run();
                flush();
            }
        } finally {
            reading = false;
        }
        if (ended) {
            fail();
        }
        if (owed.isEmpty()) {
            wanted = false;
        }
    }

    private void settle(Transmission answered, @Nullable Object reply) {
        owed.remove(answered);
        if (!(reply instanceof Answer.Failure failure)) {
            answered.tell(new Reply.Value(Answer.plain(reply)));
            return;
        }
        ServerError error = new ServerError(failure.text());
        if (error.isNoScript() && !answered.last) {
            answered.last = true;
            answered.form = answered.command.inFull();
            unsent.add(answered);
            return;
        }
        answered.tell(failures.reply(answered.command, error));
        if (error.isNoScript()) {
            answered.form.loading().ifPresent(loading -> unsent.add(new Transmission(loading, ignored -> {})));
        }
    }

    @Override
    public boolean readReplies(BooleanSupplier enough) {
        if (readsAtOnce || wanted || reader != null || machine.nanoTime() - slowUntilNanos < 0) {
            return false;
        }
        reader = Thread.currentThread();
        boolean interrupted = false;
        boolean timely = true;
        try {
            long end = machine.nanoTime() + PATIENCE_NANOS;
            while (timely && !enough.getAsBoolean() && !ended && !owed.isEmpty()) {
                if (!arrived.isEmpty()) {
                    read();
                    end = machine.nanoTime() + PATIENCE_NANOS;
                    continue;
                }
                long left = end - machine.nanoTime();
                timely = left > 0;
                machine.park(this, left);
                interrupted |= Thread.interrupted();
            }
        } finally {
            reader = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (!timely) {
            slowUntilNanos = machine.nanoTime() + PENALTY_NANOS;
        }
        if (ended) {
            fail();
        } else if (!arrived.isEmpty()) {
            read();
        }
        return timely;
    }

    @Override
    public void readInBackground() {
        flush();
        wanted = !owed.isEmpty();
        if (reader == null) {
            read();
        }
    }

    @Override
    public boolean isOpen() {
        return !ended;
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        line.broken = true;
        Thread waiting = reader;
        if (readsAtOnce) {
            time.callIn(delays.delay(), () -> machine.run(this::fail));
        } else if (waiting != null) {
            machine.unpark(waiting);
        } else if (!reading) {
            fail();
        }
    }

    /** The client has noticed that the connection has ended. */
    void broke() {
        if (!ended) {
            ended = true;
            fail();
        }
    }

    /** The process of the client has died, and sends nothing more. */
    void die() {
        ended = true;
    }

    /** Tells those who wait that there will be no reply. */
    private void fail() {
        List<Transmission> unanswered = new ArrayList<>(owed);
        owed.clear();
        unanswered.forEach(each -> each.tell(new Reply.Failed(failures.broken(each.command, hasEnded()))));
        flush();
    }
}
