// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.simulation.server.Keyspace.Fields;
import dev.interlock.simulation.server.Keyspace.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the commands of strings, keys and channels; those of sorted sets and hashes are in {@link SortedSets} and
 * {@link Hashes}.
 */
final class Commands {
    /** The commands that a server without memory refuses. */
    private static final Set<String> GROWING =
            Set.of("SET", "SETNX", "GETSET", "APPEND", "INCRBY", "ZADD", "HSET", "HINCRBY");

    /** The commands that write but need no memory. */
    private static final Set<String> SHRINKING = Set.of("DEL", "DELIFEQ", "PEXPIRE", "ZREM", "ZREMRANGEBYSCORE");

    static final Answer.Failure OUT_OF_MEMORY =
            new Answer.Failure("OOM command not allowed when used memory > 'maxmemory'.");

    private final Map<String, Known> byName;
    private final ModelChannels channels;
    private Keyspace keys;
    private long nowMicros;

    /** Carries one command out. */
    private interface Command {
        @Nullable
        Object run(List<String> args);
    }

    /** A command, and how many arguments it takes. */
    private record Known(int least, int most, Command command) {}

    Commands(Keyspace keys, ModelChannels channels, Flavour flavour) {
        this.keys = keys;
        this.channels = channels;
        this.byName = new java.util.HashMap<>(Map.ofEntries(
                Map.entry("GET", exactly(1, args -> keys().get(args.get(0), String.class))),
                Map.entry("SET", atLeast(2, this::set)),
                Map.entry("SETNX", exactly(2, this::setIfAbsent)),
                Map.entry("GETSET", exactly(2, this::getAndSet)),
                Map.entry("APPEND", exactly(2, this::append)),
                Map.entry("INCRBY", exactly(2, this::increment)),
                Map.entry(
                        "DEL",
                        atLeast(
                                1,
                                args -> args.stream()
                                        .filter(key -> keys().remove(key))
                                        .count())),
                Map.entry(
                        "EXISTS",
                        atLeast(
                                1,
                                args -> args.stream()
                                        .filter(key -> keys().exists(key))
                                        .count())),
                Map.entry("TYPE", exactly(1, args -> new Answer.Status(keys().type(args.get(0))))),
                Map.entry("PEXPIRE", atLeast(2, this::expire)),
                Map.entry("PTTL", exactly(1, this::life)),
                Map.entry("TIME", exactly(0, args -> time(flavour))),
                Map.entry("PING", exactly(0, args -> new Answer.Status("PONG"))),
                Map.entry("PUBLISH", exactly(2, args -> channels.publish(args.get(0), args.get(1)))),
                Map.entry("PUBSUB", atLeast(1, this::subscribers))));
        SortedSets sets = new SortedSets(this::keys, flavour);
        byName.put("ZADD", atLeast(3, sets::add));
        byName.put("ZREM", atLeast(2, sets::remove));
        byName.put("ZSCORE", exactly(2, sets::score));
        byName.put("ZRANGE", atLeast(3, sets::range));
        byName.put("ZCOUNT", exactly(3, sets::count));
        byName.put("ZREMRANGEBYSCORE", exactly(3, sets::removeByScore));
        Hashes hashes = new Hashes(this::keys);
        byName.put("HGET", exactly(2, hashes::get));
        byName.put("HGETALL", exactly(1, hashes::all));
        byName.put("HSET", atLeast(3, hashes::set));
        byName.put("HINCRBY", exactly(3, hashes::increment));
        if (flavour == Flavour.VALKEY_9) {
            byName.put("DELIFEQ", exactly(2, this::deleteIfEqual));
        }
    }

    private static Known exactly(int count, Command command) {
        return new Known(count, count, command);
    }

    private static Known atLeast(int count, Command command) {
        return new Known(count, Integer.MAX_VALUE, command);
    }

    Keyspace keys() {
        return keys;
    }

    void keys(Keyspace loaded) {
        keys = loaded;
    }

    /** Sets the time at which commands run from now on. */
    void at(long micros) {
        nowMicros = micros;
        keys.at(Math.floorDiv(micros, 1000L));
    }

    boolean knows(String name) {
        return byName.containsKey(name.toUpperCase(Locale.ROOT));
    }

    /** Tells whether a command writes, whatever it finds. */
    static boolean writes(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return GROWING.contains(upper) || SHRINKING.contains(upper);
    }

    /** Tells whether a server without memory refuses a command. */
    static boolean grows(String name) {
        return GROWING.contains(name.toUpperCase(Locale.ROOT));
    }

    /** Returns why a server does not even begin with a command, or null if it does. */
    Answer.@Nullable Failure refusal(String name, List<String> args) {
        Known known = byName.get(name.toUpperCase(Locale.ROOT));
        if (known == null) {
            return new Answer.Failure("ERR unknown command '" + name + "'");
        }
        return args.size() < known.least || args.size() > known.most
                ? new Answer.Failure("ERR wrong number of arguments for '" + name + "' command")
                : null;
    }

    /** Carries out a command, and returns its reply or an {@link Answer.Failure}. */
    @Nullable
    Object run(String name, List<String> args, boolean withoutMemory) {
        Answer.Failure refusal = refusal(name, args);
        Known known = byName.get(name.toUpperCase(Locale.ROOT));
        if (known == null || refusal != null) {
            return refusal;
        }
        if (withoutMemory && grows(name)) {
            return OUT_OF_MEMORY;
        }
        try {
            return known.command.run(args);
        } catch (CommandException e) {
            return new Answer.Failure(String.valueOf(e.getMessage()));
        }
    }

    /** The clock of a Redis 7.0 goes on while a script runs; only keys live by the time at which it began. */
    private Object time(Flavour flavour) {
        nowMicros += flavour == Flavour.REDIS_7 ? 1 : 0;
        return List.of(Long.toString(nowMicros / 1_000_000), Long.toString(nowMicros % 1_000_000));
    }

    private @Nullable Object set(List<String> args) {
        String key = args.get(0);
        boolean onlyNew = false;
        boolean onlyPresent = false;
        boolean keepsEnd = false;
        String millis = null;
        for (int i = 2; i < args.size(); i++) {
            switch (args.get(i).toUpperCase(Locale.ROOT)) {
                case "NX" -> onlyNew = true;
                case "XX" -> onlyPresent = true;
                case "KEEPTTL" -> keepsEnd = true;
                case "PX" -> {
                    if (++i == args.size() || millis != null) {
                        throw new CommandException(CommandException.SYNTAX);
                    }
                    millis = args.get(i);
                }
                default -> throw new CommandException(CommandException.SYNTAX);
            }
        }
        if ((onlyNew && onlyPresent) || (keepsEnd && millis != null)) {
            throw new CommandException(CommandException.SYNTAX);
        }
        Long end = keepsEnd ? keys.end(key) : null;
        if (millis != null) {
            long life = RedisNumbers.integer(millis);
            if (life <= 0 || life > Long.MAX_VALUE - keys.nowMillis()) {
                throw new CommandException("ERR invalid expire time in 'set' command");
            }
            end = keys.nowMillis() + life;
        }
        if (onlyNew ? keys.exists(key) : onlyPresent && !keys.exists(key)) {
            return null;
        }
        keys.put(key, args.get(1), end);
        return Answer.OK;
    }

    private Object setIfAbsent(List<String> args) {
        if (keys.exists(args.get(0))) {
            return 0L;
        }
        keys.put(args.get(0), args.get(1), null);
        return 1L;
    }

    private @Nullable Object getAndSet(List<String> args) {
        String before = keys.get(args.get(0), String.class);
        keys.put(args.get(0), args.get(1), null);
        return before;
    }

    private Object append(List<String> args) {
        String before = keys.get(args.get(0), String.class);
        String after = (before == null ? "" : before) + args.get(1);
        keys.replace(args.get(0), after);
        return (long) after.length();
    }

    private Object increment(List<String> args) {
        long by = RedisNumbers.integer(args.get(1));
        String before = keys.get(args.get(0), String.class);
        long value = before == null ? 0 : RedisNumbers.integer(before);
        try {
            long after = Math.addExact(value, by);
            keys.replace(args.get(0), Long.toString(after));
            return after;
        } catch (ArithmeticException e) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
    }

    private Object deleteIfEqual(List<String> args) {
        return args.get(1).equals(keys.get(args.get(0), String.class)) && keys.remove(args.get(0)) ? 1L : 0L;
    }

    private Object expire(List<String> args) {
        String key = args.get(0);
        long life = RedisNumbers.integer(args.get(1));
        List<String> conditions = new ArrayList<>();
        for (String condition : args.subList(2, args.size())) {
            conditions.add(condition.toUpperCase(Locale.ROOT));
        }
        if (!Set.of("NX", "XX", "GT", "LT").containsAll(conditions)) {
            throw new CommandException("ERR Unsupported option");
        }
        if ((conditions.contains("NX") && conditions.size() > 1)
                || (conditions.contains("GT") && conditions.contains("LT"))) {
            throw new CommandException("ERR NX and XX, GT or LT options at the same time are not compatible");
        }
        if (life > 0 && life > Long.MAX_VALUE - keys.nowMillis()) {
            throw new CommandException("ERR invalid expire time in 'pexpire' command");
        }
        if (!keys.exists(key)) {
            return 0L;
        }
        long end = keys.nowMillis() + life;
        Long before = keys.end(key);
        boolean refused = (conditions.contains("NX") && before != null)
                || (conditions.contains("XX") && before == null)
                || (conditions.contains("GT") && (before == null || end <= before))
                || (conditions.contains("LT") && before != null && end >= before);
        if (refused) {
            return 0L;
        }
        if (life <= 0) {
            keys.remove(key);
        } else {
            keys.end(key, end);
        }
        return 1L;
    }

    private Object life(List<String> args) {
        if (!keys.exists(args.get(0))) {
            return -2L;
        }
        Long end = keys.end(args.get(0));
        return end == null ? -1L : (Object) Math.max(0, end - keys.nowMillis());
    }

    private Object subscribers(List<String> args) {
        if (!args.get(0).equalsIgnoreCase("NUMSUB")) {
            throw new CommandException("ERR unknown subcommand '" + args.get(0) + "'");
        }
        List<Object> counts = new ArrayList<>();
        for (String channel : args.subList(1, args.size())) {
            counts.add(channel);
            counts.add(channels.listeners(channel));
        }
        return counts;
    }

    /** Returns the members of a sorted set, or null if there is none. */
    static @Nullable Members members(Keyspace keys, String key) {
        return keys.get(key, Members.class);
    }

    /** Returns the fields of a hash, or null if there is none. */
    static @Nullable Fields fields(Keyspace keys, String key) {
        return keys.get(key, Fields.class);
    }
}
