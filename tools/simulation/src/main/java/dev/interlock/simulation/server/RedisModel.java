// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A model of a server, which carries out one command after the other at the times that it is given. Its commands and
 * scripts are compared with real servers by random sequences. For use by one thread at a time.
 */
public final class RedisModel implements AutoCloseable {
    private static final Set<String> SCRIPTS = Set.of("EVAL", "EVALSHA");

    /** The first line of a script that may write while there is no memory left. */
    private static final String NEEDS_NO_MEMORY = "#!lua flags=allow-oom\n";

    private final LuaInterpreter interpreter;
    private final Commands commands;
    private final Flavour flavour;
    private final Map<String, String> scripts = new HashMap<>();
    private final UnaryOperator<String> rewriting;
    private boolean withoutMemory;

    /**
     * Creates an empty server.
     *
     * @param flavour what it can do
     * @param channels its channels
     */
    public RedisModel(Flavour flavour, ModelChannels channels) {
        this(flavour, channels, UnaryOperator.identity());
    }

    /**
     * Creates an empty server that changes the scripts that it is sent, for tests that must notice the change.
     *
     * @param flavour what it can do
     * @param channels its channels
     * @param rewriting returns the script to run instead of one that was sent
     */
    public RedisModel(Flavour flavour, ModelChannels channels, UnaryOperator<String> rewriting) {
        this(flavour, channels, rewriting, null);
    }

    /**
     * Creates an empty server.
     *
     * @param flavour what it can do
     * @param channels its channels
     * @param rewriting returns what it runs in place of a script
     * @param coverage told which lines of scripts have run when the server is closed; {@code null} if nobody asks
     */
    public RedisModel(
            Flavour flavour,
            ModelChannels channels,
            UnaryOperator<String> rewriting,
            @Nullable ScriptCoverage coverage) {
        this.interpreter = LuaInterpreter.open(coverage);
        this.flavour = flavour;
        this.rewriting = rewriting;
        this.commands = new Commands(new Keyspace(), channels, flavour);
    }

    /**
     * Returns the keys.
     *
     * @return the keys, which change with each command
     */
    public Keyspace keys() {
        return commands.keys();
    }

    /**
     * Replaces the keys, and forgets all scripts, as a server does that has restarted.
     *
     * @param loaded the keys from now on
     */
    public void restart(Keyspace loaded) {
        commands.keys(loaded);
        scripts.clear();
    }

    /**
     * Sets whether the server has reached its limit of memory.
     *
     * @param without whether commands that need more are refused
     */
    public void withoutMemory(boolean without) {
        withoutMemory = without;
    }

    Flavour flavour() {
        return flavour;
    }

    boolean isWithoutMemory() {
        return withoutMemory;
    }

    /** Sets the time at which commands run from now on. */
    void at(long micros) {
        commands.at(micros);
    }

    /** Returns why a command cannot become part of a transaction, or null if it can. */
    Answer.@Nullable Failure refusal(String name, List<String> args) {
        return SCRIPTS.contains(name) ? null : commands.refusal(name, args);
    }

    /**
     * Opens a connection, over which there may be transactions.
     *
     * @return the connection
     */
    public ModelSession session() {
        return new ModelSession(this);
    }

    /**
     * Carries out a command that is part of no transaction.
     *
     * @param micros the server's time, in µs since the epoch
     * @param name the command
     * @param args its arguments
     * @return a {@link Long}, {@link String}, {@link List}, {@link Answer} or {@code null}
     */
    public @Nullable Object call(long micros, String name, List<String> args) {
        commands.at(micros);
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "EVAL" -> {
                String source = rewriting.apply(args.get(0));
                scripts.put(LuaInterpreter.digest(args.get(0)), source);
                yield script(source, args);
            }
            case "SCRIPT" -> load(args);
            case "EVALSHA" -> {
                String known = scripts.get(args.get(0));
                yield known == null
                        ? new Answer.Failure("NOSCRIPT No matching script. Please use EVAL.")
                        : script(known, args);
            }
            default -> commands.run(name, args, withoutMemory);
        };
    }

    /** Learns a script without running it. */
    private Object load(List<String> args) {
        if (args.size() != 2 || !args.get(0).equalsIgnoreCase("LOAD")) {
            return new Answer.Failure("ERR unknown subcommand or wrong number of arguments for 'script' command");
        }
        String sha1 = LuaInterpreter.digest(args.get(1));
        scripts.put(sha1, rewriting.apply(args.get(1)));
        return sha1;
    }

    private @Nullable Object script(String source, List<String> args) {
        int keys = Integer.parseInt(args.get(1));
        boolean limited = withoutMemory && !source.startsWith(NEEDS_NO_MEMORY);
        return interpreter.run(
                source, args.subList(2, 2 + keys), args.subList(2 + keys, args.size()), new LuaInterpreter.Calls() {
                    private boolean written;

                    @Override
                    public @Nullable Object run(String name, List<String> arguments) {
                        // A script that has sent a command which writes may go on, so that it is carried out as a
                        // whole.
                        Object reply = commands.run(name, arguments, limited && !written);
                        written |= Commands.writes(name)
                                && !(reply instanceof Answer.Failure failure
                                        && failure.code().equals("OOM"));
                        return reply;
                    }

                    @Override
                    public boolean knows(String name) {
                        return commands.knows(name);
                    }

                    @Override
                    public String text(double number) {
                        return RedisNumbers.text(number, flavour);
                    }
                });
    }

    @Override
    public void close() {
        interpreter.close();
    }
}
