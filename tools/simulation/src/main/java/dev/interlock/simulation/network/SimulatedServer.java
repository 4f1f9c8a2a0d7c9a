// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.redis.RedisCommand;
import dev.interlock.simulation.server.Answer;
import dev.interlock.simulation.server.Flavour;
import dev.interlock.simulation.server.Keyspace;
import dev.interlock.simulation.server.ModelChannels;
import dev.interlock.simulation.server.RedisModel;
import dev.interlock.simulation.server.ScriptCoverage;
import dev.interlock.simulation.time.VirtualMachine;
import dev.interlock.simulation.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The server that is the primary now: a process that may pause, restart or be replaced by its replica. */
public final class SimulatedServer implements ModelChannels, AutoCloseable {
    private static final int REMEMBERED = 64;

    private final VirtualTime time;
    private final VirtualMachine machine;
    private final SimulationObserver observer;
    private final Mutation mutation;
    private final Flavour flavour;
    private final RedisModel model;
    private final Map<String, Set<Subscriber>> subscribers = new LinkedHashMap<>();
    private final List<SimulatedNode> clients = new ArrayList<>();

    /** The states of a replica at earlier times, the latest last. */
    private final Deque<Keyspace> earlier = new ArrayDeque<>();

    private final boolean remembers;
    private int process = 1;

    /** Counts the processes as they name themselves: one that is rolled back keeps its name. */
    private int run = 1;

    private int takeovers;
    private boolean up = true;
    private boolean lost;
    private boolean flushed;
    private long pausedUntil;
    private long changes;
    private long generations;

    /** A client that listens to channels. */
    interface Subscriber {
        void send(String channel, String text);
    }

    /**
     * Starts an empty server.
     *
     * @param time the clock of the world
     * @param machine the server's own clock
     * @param flavour what the server can do
     * @param mutation changes the commands before they are carried out
     * @param remembers whether it has a replica that may lack its last writes
     * @param coverage told which lines of scripts have run; {@code null} if nobody asks
     * @param observer told of what happens
     */
    public SimulatedServer(
            VirtualTime time,
            VirtualMachine machine,
            Flavour flavour,
            Mutation mutation,
            boolean remembers,
            @Nullable ScriptCoverage coverage,
            SimulationObserver observer) {
        this.time = time;
        this.machine = machine;
        this.remembers = remembers;
        this.observer = observer;
        this.mutation = mutation;
        this.flavour = flavour;
        this.model = new RedisModel(flavour, this, mutation::script, coverage);
    }

    /**
     * Returns its name.
     *
     * @return the name
     */
    public String name() {
        return machine.name();
    }

    void add(SimulatedNode client) {
        clients.add(client);
    }

    long nextGeneration() {
        return ++generations;
    }

    /**
     * Returns whether the process has ended for good.
     *
     * @return whether it never answers again
     */
    public boolean isLost() {
        return lost;
    }

    boolean isUp() {
        return up;
    }

    /** Returns the number of the process that answers. Connections end with the process that they lead to. */
    int process() {
        return process;
    }

    /** How often another server has taken over. */
    int takeovers() {
        return takeovers;
    }

    /**
     * Carries out what has arrived, as soon as the server runs.
     *
     * @param to the process that it was sent to
     * @param work carries the request out and returns the replies
     * @param onReplies told of the replies; not at all if that process has ended
     */
    void receive(
            int to, Function<RedisModel, List<@Nullable Object>> work, Consumer<List<@Nullable Object>> onReplies) {
        if (to != process || !up) {
            return;
        }
        if (time.now() < pausedUntil) {
            observer.faultHadEffect("server-pause");
            time.at(pausedUntil, () -> receive(to, work, onReplies));
            return;
        }
        List<@Nullable Object> replies = work.apply(model);
        long after = model.keys().changes();
        if (remembers && after != changes) {
            changes = after;
            earlier.add(model.keys().copy());
            if (earlier.size() > REMEMBERED) {
                earlier.remove();
            }
        }
        for (Object reply : replies) {
            if (reply instanceof Answer.Failure failure && failure.code().equals("OOM")) {
                observer.faultHadEffect("out-of-memory");
            } else if (reply instanceof Answer.Failure failure && failure.code().equals("NOSCRIPT") && flushed) {
                observer.faultHadEffect("script-flush");
            }
        }
        onReplies.accept(replies);
    }

    /** Carries out a command that has arrived over a connection. */
    @Nullable
    Object carryOut(Line line, RedisModel present, RedisCommand command) {
        List<String> words = new ArrayList<>();
        words.add(command.name());
        words.addAll(command.arguments());
        List<String> mutated = mutation.command(words);
        if (mutated.get(0).equals("INFO")) {
            return info();
        }
        return line.session(present).call(micros(), mutated.get(0), mutated.subList(1, mutated.size()));
    }

    /** What the server says about itself. */
    private String info() {
        return String.join(
                "\r\n",
                "redis_version:" + flavour.redisVersion(),
                "redis_mode:standalone",
                "run_id:" + name() + "-run-" + run,
                "server_time_usec:" + micros(),
                "maxmemory:0",
                "role:master");
    }

    /** Returns the server's time in µs. */
    long micros() {
        return machine.micros();
    }

    void subscribe(String channel, Subscriber subscriber) {
        subscribers.computeIfAbsent(channel, name -> new LinkedHashSet<>()).add(subscriber);
    }

    void unsubscribe(String channel, Subscriber subscriber) {
        Set<Subscriber> all = subscribers.get(channel);
        if (all != null) {
            all.remove(subscriber);
        }
    }

    @Override
    public long listeners(String channel) {
        return subscribers.getOrDefault(channel, Set.of()).size();
    }

    @Override
    public long publish(String channel, String text) {
        Set<Subscriber> all = subscribers.getOrDefault(channel, Set.of());
        all.forEach(subscriber -> subscriber.send(channel, text));
        return all.size();
    }

    /**
     * Makes the server stand still.
     *
     * @param nanos for how long
     */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, time.now() + nanos);
    }

    /**
     * Ends the process, and starts another one in its place.
     *
     * @param nanos how long that takes
     * @param withData whether it has kept its data
     */
    public void restart(long nanos, boolean withData) {
        end();
        run++;
        model.restart(withData ? model.keys() : new Keyspace());
        beginAgain(nanos, "is up again" + (withData ? "" : ", without its data"));
    }

    private void beginAgain(long nanos, String what) {
        time.in(nanos, () -> {
            if (!lost) {
                up = true;
                observer.note(name(), what);
            }
        });
    }

    /** Ends the process for good. */
    public void lose() {
        lost = true;
        end();
    }

    /**
     * Ends the process, and lets its replica take over.
     *
     * @param nanos how long that takes
     * @param missing how many of the last changes the replica has not received
     */
    public void failOver(long nanos, int missing) {
        end();
        run++;
        goBack(missing);
        takeovers++;
        beginAgain(nanos, "the replica has taken over");
    }

    /**
     * Has the process take its data from a replica, and go on as the primary: it keeps its name and its connections.
     *
     * @param missing how many of the last changes the replica has not received
     */
    public void resynchronize(int missing) {
        goBack(missing);
        observer.note(name(), "has its data from a replica that lacks " + missing + " changes");
    }

    /**
     * Sets the process back to an earlier image, with its name and its keys, but without its connections.
     *
     * @param nanos how long that takes
     * @param undone how many of the last changes the image does not have
     */
    public void rollBack(long nanos, int undone) {
        end();
        goBack(undone);
        beginAgain(nanos, "goes on as it was " + undone + " changes ago");
    }

    /** Sets the keys back. */
    private void goBack(int missing) {
        Keyspace former = model.keys().copy();
        for (int i = 0; i < missing; i++) {
            earlier.pollLast();
            former = earlier.isEmpty() ? new Keyspace() : earlier.getLast().copy();
        }
        model.restart(former);
        changes = former.changes();
        earlier.clear();
    }

    /** Removes all keys. */
    public void flush() {
        model.restart(new Keyspace());
    }

    private void end() {
        up = false;
        process++;
        pausedUntil = 0;
        subscribers.clear();
        clients.forEach(SimulatedNode::serverEnded);
    }

    /** Forgets all scripts. */
    public void flushScripts() {
        model.restart(model.keys());
        flushed = true;
    }

    /**
     * Sets whether the server has reached its limit of memory.
     *
     * @param without whether commands that need more are refused
     */
    public void withoutMemory(boolean without) {
        model.withoutMemory(without);
    }

    /**
     * Removes a key, as a server does that evicts.
     *
     * @param key the key
     * @return whether it was there
     */
    public boolean evict(String key) {
        return Long.valueOf(1).equals(model.call(micros(), "DEL", List.of(key)));
    }

    /**
     * Returns all keys.
     *
     * @return each key with the ms until its life ends, or -1 if it does not end
     */
    public Map<String, Long> lives() {
        return model.keys().lives(Math.floorDiv(micros(), 1000L));
    }

    /**
     * Returns the value of a key.
     *
     * @param key the key
     * @return its value, or null if it has none
     */
    public @Nullable Object peek(String key) {
        return model.call(micros(), "GET", List.of(key));
    }

    @Override
    public void close() {
        model.close();
    }
}
