// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import dev.interlock.simulation.server.Answer;
import dev.interlock.simulation.server.RedisModel;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The port of one client to the server, as {@link RedisNode} says that it behaves: two connections for all calls and
 * one for those that are urgent, each of which keeps the order of what is sent over it; and links.
 */
public final class SimulatedNode implements RedisNode {
    private static final Set<String> PASSING = Set.of("LOADING", "READONLY", "MASTERDOWN", "BUSY", "TRYAGAIN", "OOM");
    private static final int URGENT = 2;
    private static final RedisCommand PING = RedisCommand.of("PING");

    private final VirtualTime time;
    private final VirtualMachine machine;
    private final SimulatedServer server;
    private final SimulationObserver observer;
    private final MessageDelays delays;
    private final SimulatedSubscriptions subscriptions;
    private final SimulatedTransactions transactions;

    /** The connections for calls: the last one for urgent ones. */
    private final @Nullable Line[] lines = new Line[URGENT + 1];

    /** All connections, those for transactions too. */
    private final List<Line> open = new ArrayList<>();

    private final Set<Call> calls = new LinkedHashSet<>();
    private final List<SimulatedLink> links = new ArrayList<>();
    private final boolean readsAtOnce;
    private Runnable onTakeover = () -> {};
    private long generation;
    private long sent;
    private long latest;
    private int takeovers;
    private int duplicates;

    /** Whether the next request is to be lost, or its reply; null for neither. */
    private @Nullable Boolean losing;

    private boolean dead;
    private boolean closed;

    /** A request that was sent and whose reply is awaited. */
    private static final class Call {
        private final Line line;
        private final Thread caller = Thread.currentThread();
        private @Nullable List<@Nullable Object> replies;

        Call(Line line) {
            this.line = line;
        }
    }

    /**
     * Creates the port, which opens connections when they are needed.
     *
     * @param time the clock of the world
     * @param machine the client
     * @param server the server
     * @param seed decides how long messages take
     * @param observer told of the events of the simulation
     */
    public SimulatedNode(
            VirtualTime time, VirtualMachine machine, SimulatedServer server, long seed, SimulationObserver observer) {
        this.time = time;
        this.machine = machine;
        this.server = server;
        this.observer = observer;
        this.delays = new MessageDelays(time, seed, observer);
        this.subscriptions = new SimulatedSubscriptions(time, machine, server, delays, observer);
        this.transactions = new SimulatedTransactions(this, machine);
        this.readsAtOnce = Math.floorMod(seed, 3) == 0;
        this.generation = server.nextGeneration();
        server.add(this);
    }

    /**
     * Returns the server to which the port leads.
     *
     * @return the server
     */
    public SimulatedServer server() {
        return server;
    }

    /** Sends a request over a line, whose replies the caller waits for. */
    private Call send(Line line, Function<RedisModel, List<@Nullable Object>> work) {
        Call call = new Call(line);
        calls.add(call);
        send(
                line,
                work,
                replies -> time.at(line.returned(time.now() + delays.delay()), () -> {
                    if (line.isRead()) {
                        call.replies = replies;
                        machine.unpark(call.caller);
                    }
                }));
        return call;
    }

    private void send(
            Line line, Function<RedisModel, List<@Nullable Object>> work, Consumer<List<@Nullable Object>> onSent) {
        Boolean delivered = losing;
        if (delivered == null) {
            deliver(line, work, onSent);
        } else {
            losing = null;
            observer.faultHadEffect(delivered ? "reply-lost" : "request-lost");
            line.deaf |= !delivered;
            deliver(line, work, onSent);
            line.mute = true;
            time.callIn(delays.delay() * 3, () -> end(line));
        }
    }

    /** Sends a command over a line, and tells the client of its reply when that has arrived. */
    void send(Line line, RedisCommand command, Consumer<@Nullable Object> onReply) {
        send(
                line,
                work(line, List.of(command)),
                replies -> time.callAt(line.returned(time.now() + delays.delay()), () -> {
                    if (line.isRead()) {
                        onReply.accept(replies.get(0));
                    }
                }));
    }

    /** Sends a request, and tells of the replies when the server has sent them. */
    private void deliver(
            Line line, Function<RedisModel, List<@Nullable Object>> work, Consumer<List<@Nullable Object>> onSent) {
        long number = sent++;
        time.at(line.arrival(time.now() + delays.delay()), () -> {
            if (line.deaf) {
                return;
            }
            server.receive(line.process, work, replies -> {
                if (number < latest) {
                    observer.faultHadEffect("reorder");
                }
                latest = Math.max(latest, number);
                onSent.accept(replies);
            });
        });
    }

    private Function<RedisModel, List<@Nullable Object>> work(Line line, List<RedisCommand> commands) {
        return model -> {
            List<@Nullable Object> replies = new ArrayList<>();
            for (RedisCommand command : commands) {
                Object reply = server.carryOut(line, model, command);
                if (observer.isTracing()) {
                    observer.note(
                            server.name(), "for " + machine.name() + ": " + command + shown(command) + " -> " + reply);
                }
                replies.add(reply);
            }
            return replies;
        };
    }

    private static String shown(RedisCommand command) {
        List<String> arguments = command.arguments();
        return " "
                + (command.isScript() || command.name().equals("EVAL")
                        ? arguments.subList(1, arguments.size())
                        : arguments);
    }

    private Line connect(int index, long endNanos, RedisCommand first) {
        Line present = lines[index];
        if (present != null && !present.broken) {
            return present;
        }
        Line opened = open(endNanos, first);
        lines[index] = opened;
        return opened;
    }

    /** Opens a connection. */
    Line open(long endNanos, RedisCommand first) {
        long trip = delays.delay() * 2;
        pass(Math.min(trip, Math.max(1, endNanos - machine.nanoTime())));
        if (closed || dead || !server.isUp() || machine.nanoTime() - endNanos >= 0) {
            throw new LockBackendException(Reason.UNREACHABLE, "cannot connect to the simulated server for " + first);
        }
        Line opened = new Line(server.process());
        open.removeIf(line -> line.broken);
        open.add(opened);
        generation = server.nextGeneration();
        if (takeovers != server.takeovers()) {
            takeovers = server.takeovers();
            onTakeover.run();
        }
        return opened;
    }

    /** Lets time pass for the current thread. */
    private void pass(long nanos) {
        boolean interrupted = false;
        long end = machine.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - machine.nanoTime()) {
            machine.park(this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for replies, and returns null if there are none in time or the connection breaks. */
    private @Nullable List<@Nullable Object> await(Call call, long endNanos) {
        boolean interrupted = false;
        try {
            while (call.replies == null && !call.line.broken) {
                long left = endNanos - machine.nanoTime();
                if (left <= 0) {
                    return null;
                }
                machine.park(this, left);
                interrupted |= Thread.interrupted();
            }
            return call.replies;
        } finally {
            calls.remove(call);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<@Nullable Object> exchange(
            int index, List<RedisCommand> commands, @Nullable Supplier<RedisCommand> undo, Duration timeout) {
        RedisCommand first = commands.get(0);
        if (closed) {
            throw new LockBackendException(Reason.UNREACHABLE, "the connection was closed by this program");
        }
        long end = machine.nanoTime() + timeout.toNanos();
        Line line = connect(index, end, first);
        Call call = send(line, work(line, commands));
        List<@Nullable Object> replies = await(call, end);
        if (replies == null) {
            throw unanswered(line, first, undo);
        }
        if (commands.size() == 1
                && first.isScript()
                && replies.get(0) instanceof Answer.Failure failure
                && failure.code().equals("NOSCRIPT")) {
            List<@Nullable Object> again = await(send(line, work(line, List.of(first.inFull()))), end);
            if (again == null) {
                throw unanswered(line, first, undo);
            }
            return again;
        }
        return replies;
    }

    /** Sends commands over a connection, and waits for the replies. */
    List<@Nullable Object> exchange(Line line, List<RedisCommand> commands, long endNanos) {
        List<@Nullable Object> replies = await(send(line, work(line, commands)), endNanos);
        if (replies == null) {
            throw unanswered(line, commands.get(0), null);
        }
        return replies;
    }

    private LockBackendException unanswered(Line line, RedisCommand first, @Nullable Supplier<RedisCommand> undo) {
        if (line.broken) {
            observer.note(machine.name(), "the connection broke before the reply to " + first);
            return new LockBackendException(
                    Reason.OUTCOME_UNKNOWN, "the connection broke before the reply to " + first);
        }
        observer.note(machine.name(), "no reply in time to " + first);
        if (undo != null) {
            observer.faultHadEffect("undo");
            deliver(line, work(line, List.of(undo.get().inFull())), replies -> {});
        }
        return new LockBackendException(Reason.OUTCOME_UNKNOWN, "no reply in time to " + first);
    }

    private static @Nullable Object value(RedisCommand command, @Nullable Object reply) {
        if (reply instanceof Answer.Failure failure) {
            throw failed(command, failure);
        }
        return Answer.plain(reply);
    }

    static LockBackendException failed(RedisCommand command, Answer.Failure failure) {
        Reason reason = PASSING.contains(failure.code()) ? Reason.UNREACHABLE : Reason.REFUSED;
        return new LockBackendException(reason, "the simulated server refused " + command + ": " + failure.text());
    }

    @Override
    public @Nullable Object call(RedisCommand command, Duration timeout) {
        return value(
                command,
                exchange(delays.oneOf(URGENT), List.of(command), null, timeout).get(0));
    }

    @Override
    public @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return value(command, exchange(URGENT, List.of(command), null, timeout).get(0));
    }

    @Override
    public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
        return value(
                command,
                exchange(delays.oneOf(URGENT), List.of(command), undo, timeout).get(0));
    }

    @Override
    public List<Reply> callInOrder(List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
        List<@Nullable Object> replies = exchange(delays.oneOf(URGENT), commands, undo, timeout);
        List<Reply> told = new ArrayList<>();
        for (int i = 0; i < replies.size(); i++) {
            Object reply = replies.get(i);
            told.add(
                    reply instanceof Answer.Failure failure
                            ? new Reply.Failed(failed(commands.get(i), failure), true)
                            : new Reply.Value(Answer.plain(reply)));
        }
        return told;
    }

    @Override
    public List<Reply> callEach(List<RedisCommand> commands, Duration timeout) {
        List<Reply> replies = new ArrayList<>();
        for (RedisCommand command : commands) {
            try {
                replies.add(new Reply.Value(value(command, repeatable(command, timeout))));
            } catch (LockBackendException e) {
                replies.add(new Reply.Failed(e));
            }
        }
        return replies;
    }

    /**
     * Sends a command, and sends it again over another connection if the first one breaks. The first copy may still
     * arrive later.
     */
    private @Nullable Object repeatable(RedisCommand command, Duration timeout) {
        long end = machine.nanoTime() + timeout.toNanos();
        if (duplicates > 0) {
            duplicates--;
            Line line = connect(0, end, command);
            deliver(line, work(line, List.of(command.inFull())), replies -> {});
            line.broken = true;
            calls.forEach(call -> machine.unpark(call.caller));
            observer.faultHadEffect("duplicate");
        }
        return exchange(0, List.of(command), null, Duration.ofNanos(Math.max(1, end - machine.nanoTime())))
                .get(0);
    }

    @Override
    public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
        throw new UnsupportedOperationException(
                "the simulated server has no replica to wait for: leave the options replicas and durability out");
    }

    @Override
    public @Nullable String transactIfEqual(
            String key, String expected, List<RedisCommand> commands, Duration timeout) {
        return transactions
                .run(List.of(key), List.of(expected), List.of(commands), timeout)
                .get(0);
    }

    @Override
    public List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        return transactions.run(keys, expected, commands.stream().map(List::of).toList(), timeout);
    }

    @Override
    public long generation(String key) {
        return generation;
    }

    @Override
    public RedisLink openLink(Duration timeout) {
        if (closed) {
            throw new LockBackendException(Reason.UNREACHABLE, "the connection was closed by this program");
        }
        long end = machine.nanoTime() + timeout.toNanos();
        Line line = open(end, PING);
        if (await(send(line, work(line, List.of(PING))), end) == null || line.broken) {
            line.broken = true;
            throw new LockBackendException(Reason.UNREACHABLE, server.name() + " does not answer on a new connection");
        }
        SimulatedLink link = new SimulatedLink(this, line, time, machine, delays, server.name(), readsAtOnce);
        links.removeIf(old -> !old.isOpen());
        links.add(link);
        return link;
    }

    @Override
    public Watch subscribe(String channel, Listener listener) {
        return subscriptions.subscribe(channel, listener);
    }

    @Override
    public boolean isSubscribed(String channel) {
        return subscriptions.isSubscribed(channel);
    }

    @Override
    public void doubtSubscriptions() {
        subscriptions.cut(0);
    }

    @Override
    public void watchTakeovers(Runnable action) {
        onTakeover = action;
    }

    /** The server's process has ended. The client notices it after a while. */
    void serverEnded() {
        subscriptions.cut(delays.delay());
        for (Line line : List.copyOf(open)) {
            time.callIn(delays.delay(), () -> end(line));
        }
    }

    private void end(Line line) {
        line.broken = true;
        for (Call call : List.copyOf(calls)) {
            if (call.line == line) {
                machine.unpark(call.caller);
            }
        }
        for (SimulatedLink link : List.copyOf(links)) {
            if (link.isOver(line)) {
                machine.run(link::broke);
            }
        }
    }

    /**
     * Cuts the connection of the next request, so that its outcome remains unknown.
     *
     * @param delivered whether the request still reaches the server, so that only its reply is lost
     */
    public void cut(boolean delivered) {
        losing = delivered;
    }

    /**
     * Cuts the connection of the subscriptions.
     *
     * @param noticedAfter after how many nanoseconds the client notices it
     */
    public void cutSubscriptions(long noticedAfter) {
        subscriptions.cut(noticedAfter);
    }

    /**
     * Lets messages take longer for a while.
     *
     * @param nanos for how long
     * @param most by how much at most, in nanoseconds
     */
    public void slow(long nanos, long most) {
        delays.slow(nanos, most);
    }

    /**
     * Makes commands that may be repeated arrive twice.
     *
     * @param count how many
     */
    public void duplicate(int count) {
        duplicates += count;
    }

    /**
     * The process of the client has died. What it has sent still arrives.
     *
     * @param noticedAfter after how many nanoseconds the server notices it
     */
    public void die(long noticedAfter) {
        dead = true;
        for (Line line : open) {
            line.mute = true;
            line.broken = true;
        }
        links.forEach(SimulatedLink::die);
        subscriptions.die(noticedAfter);
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.close();
        open.forEach(this::end);
    }
}
