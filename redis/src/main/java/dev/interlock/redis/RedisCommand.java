// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A command for a Redis server: a plain one, or a call of a script.
 *
 * <p>Instances are immutable. {@link #toString} shows the name alone, because arguments may be secret.
 */
public final class RedisCommand {
    private static final byte[] END = {'\r', '\n'};

    /** What a length takes at most: what it is the length of, ten digits, and the end of the line. */
    private static final int MOST_FOR_LENGTH = 1 + 10 + END.length;

    private final String name;
    private final @Nullable LuaScript script;
    private final List<String> arguments;
    private final @Nullable String route;
    private byte @Nullable [] encoded;

    private RedisCommand(String name, @Nullable LuaScript script, List<String> arguments, @Nullable String route) {
        this.name = name;
        this.script = script;
        this.arguments = arguments;
        this.route = route;
    }

    /**
     * Makes a plain command.
     *
     * @param name its name, such as {@code SET}
     * @param arguments its arguments
     * @return the command
     */
    public static RedisCommand of(String name, String... arguments) {
        return new RedisCommand(Objects.requireNonNull(name, "name"), null, List.of(arguments), null);
    }

    /**
     * Makes a call of a script, which is sent by its digest ({@code EVALSHA}) and in full ({@code EVAL}) only where the server
     * does not know it.
     *
     * @param script the script
     * @param keys its {@code KEYS}
     * @param args its {@code ARGV}
     * @return the command
     */
    public static RedisCommand script(LuaScript script, List<String> keys, List<String> args) {
        List<String> arguments = new ArrayList<>(1 + keys.size() + args.size());
        arguments.add(Integer.toString(keys.size()));
        arguments.addAll(keys);
        arguments.addAll(args);
        return new RedisCommand("EVALSHA", Objects.requireNonNull(script, "script"), arguments, null);
    }

    /**
     * Returns the name to send.
     *
     * @return the name of a plain command, {@code EVALSHA} for a script
     */
    public String name() {
        return name;
    }

    /**
     * Returns the key that tells which server of a cluster is responsible.
     *
     * @return the key that it was {@linkplain #near made to go near}, or else the first key of a script, or the first argument of a
     *     plain command; empty if there is none
     */
    public Optional<String> key() {
        if (route != null) {
            return Optional.of(route);
        }
        if (script == null) {
            return arguments.stream().findFirst();
        }
        return arguments.get(0).equals("0") ? Optional.empty() : Optional.of(arguments.get(1));
    }

    /**
     * Returns the same command for the server that is responsible for a key, which is none of the command's arguments.
     *
     * @param key the key
     * @return the command
     */
    public RedisCommand near(String key) {
        return new RedisCommand(name, script, arguments, Objects.requireNonNull(key, "key"));
    }

    /**
     * Tells whether this is a call of a script.
     *
     * @return whether it was made by {@link #script}
     */
    public boolean isScript() {
        return script != null;
    }

    /**
     * Returns the arguments to send, a script's digest included. They may hold owner tokens: the caller keeps them out of logs.
     *
     * @return the arguments
     */
    public List<String> arguments() {
        return script == null ? arguments : prepend(script.sha1());
    }

    /**
     * Returns what goes over the wire, made once for all servers that this command is sent to.
     *
     * @return the command in RESP, which the caller does not change
     */
    public byte[] encoded() {
        byte[] bytes = encoded;
        if (bytes == null) {
            bytes = encode();
            // Threads that meet here make the same of it.
            encoded = bytes;
        }
        return bytes;
    }

    private byte[] encode() {
        List<byte[]> parts = new ArrayList<>(2 + arguments.size());
        parts.add(name.getBytes(StandardCharsets.UTF_8));
        if (script != null) {
            parts.add(script.sha1().getBytes(StandardCharsets.UTF_8));
        }
        for (String argument : arguments) {
            parts.add(argument.getBytes(StandardCharsets.UTF_8));
        }
        int size = MOST_FOR_LENGTH;
        for (byte[] part : parts) {
            size += MOST_FOR_LENGTH + part.length + END.length;
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        putLength(out, '*', parts.size());
        for (byte[] part : parts) {
            putLength(out, '$', part.length);
            out.put(part).put(END);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private static void putLength(ByteBuffer out, char kind, int length) {
        out.put((byte) kind);
        int power = 1;
        while (length / power >= 10) {
            power *= 10;
        }
        for (; power > 0; power /= 10) {
            out.put((byte) ('0' + length / power % 10));
        }
        out.put(END);
    }

    /**
     * Returns the form that a server carries out without knowing the script.
     *
     * @return the same call with the script's source, or this command if it is a plain one
     */
    public RedisCommand inFull() {
        return script == null ? this : new RedisCommand("EVAL", null, prepend(script.source()), key().orElse(null));
    }

    private List<String> prepend(String first) {
        List<String> all = new ArrayList<>(1 + arguments.size());
        all.add(first);
        all.addAll(arguments);
        return all;
    }

    @Override
    public String toString() {
        return name;
    }
}
