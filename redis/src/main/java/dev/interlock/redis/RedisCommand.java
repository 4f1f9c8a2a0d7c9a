// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
     * Creates a plain command.
     *
     * @param name its name, such as {@code SET}
     * @param arguments its arguments
     * @return the command
     */
    public static RedisCommand of(String name, String... arguments) {
        return new RedisCommand(Objects.requireNonNull(name, "name"), null, List.of(arguments), null);
    }

    /**
     * Creates a call of a script, which is sent by its digest ({@code EVALSHA}) and in full ({@code EVAL}) only where
     * the server does not know it.
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
        return new RedisCommand(LuaScript.CALL, Objects.requireNonNull(script, "script"), arguments, null);
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
     * @return the key that it was {@linkplain #near made to go near}, or else the first key of a script, or the first
     *     argument of a plain command; empty if there is none
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
     * @return whether it was made by {@link #script(LuaScript, List, List)}
     */
    public boolean isScript() {
        return script != null;
    }

    /**
     * Returns the script that is called by its digest.
     *
     * @return the script; {@code null} if this is no such call
     */
    public @Nullable LuaScript script() {
        return script;
    }

    /**
     * Returns the arguments to send, a script's digest included. They may hold owner tokens: the caller keeps them out
     * of logs.
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
            // Threads that race here encode the same bytes.
            encoded = bytes;
        }
        return bytes;
    }

    private byte[] encode() {
        byte[] head = script == null ? bulk(name.getBytes(StandardCharsets.UTF_8)) : script.encodedCall();
        byte[][] parts = new byte[arguments.size()][];
        int count = (script == null ? 1 : 2) + parts.length;
        int size = 1 + digits(count) + END.length + head.length;
        for (int i = 0; i < parts.length; i++) {
            parts[i] = arguments.get(i).getBytes(StandardCharsets.UTF_8);
            size += sizeOfBulk(parts[i]);
        }
        byte[] out = new byte[size];
        int end = putLength(out, 0, '*', count);
        System.arraycopy(head, 0, out, end, head.length);
        end += head.length;
        for (byte[] part : parts) {
            end = putBulk(out, end, part);
        }
        return out;
    }

    /** Encodes one part of a command. */
    static byte[] bulk(byte[] part) {
        byte[] out = new byte[sizeOfBulk(part)];
        putBulk(out, 0, part);
        return out;
    }

    private static int sizeOfBulk(byte[] part) {
        return 1 + digits(part.length) + END.length + part.length + END.length;
    }

    private static int putBulk(byte[] out, int at, byte[] part) {
        int end = putLength(out, at, '$', part.length);
        System.arraycopy(part, 0, out, end, part.length);
        return putEnd(out, end + part.length);
    }

    private static int putLength(byte[] out, int at, char kind, int length) {
        out[at] = (byte) kind;
        int end = at + 1 + digits(length);
        int rest = length;
        for (int i = end - 1; i > at; i--) {
            out[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return putEnd(out, end);
    }

    private static int putEnd(byte[] out, int at) {
        out[at] = END[0];
        out[at + 1] = END[1];
        return at + END.length;
    }

    private static int digits(int number) {
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    /**
     * Returns the form that a server carries out without knowing the script.
     *
     * @return the same call with the script's source, or this command if it is a plain one
     */
    public RedisCommand inFull() {
        return script == null ? this : new RedisCommand("EVAL", null, prepend(script.source()), key().orElse(null));
    }

    /**
     * Returns the command that makes a server know the script.
     *
     * @return {@code SCRIPT LOAD}; empty if this is no call of a script by its digest
     */
    public Optional<RedisCommand> loading() {
        return Optional.ofNullable(script).map(known -> RedisCommand.of("SCRIPT", "LOAD", known.source()));
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
