// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.Lua.LuaType;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.lua51.Lua51;

/**
 * Runs scripts as a Redis server does, in the version of Lua that Redis has, compiled from the same source. Texts are
 * ASCII.
 *
 * <p>For use by one thread at a time.
 */
final class LuaInterpreter implements AutoCloseable {
    /** The library that scripts use, over two functions that are implemented here. */
    private static final String LIBRARY = """
            local run, sha1hex, known = __run, __sha1hex, __known
            redis = {}
            function redis.pcall(...) return run(...) end
            function redis.call(...)
              local reply = run(...)
              if type(reply) == 'table' and reply.err then
                error(reply, 0)
              end
              return reply
            end
            function redis.sha1hex(text) return sha1hex(text) end
            function redis.error_reply(text) return {err = text} end
            function redis.status_reply(text) return {ok = text} end
            function redis.acl_check_cmd(name)
              if not known(name) then
                error('ERR Invalid command passed to redis.acl_check_cmd()', 0)
              end
              return true
            end
            function __call(script)
              local ok, result = pcall(script)
              if ok then
                return result
              end
              if type(result) == 'table' then
                return result
              end
              return {err = 'ERR ' .. tostring(result)}
            end
            """;

    /**
     * Notes the lines that run and the outcomes of conditions, and finds the lines that have code in what a function is
     * compiled to.
     */
    private static final String COVERAGE = """
            local ran, met = {}, {}
            function __met(condition, value)
              met[2 * condition + (value and 0 or 1)] = true
              return value
            end
            debug.sethook(function(_, line)
              local source = debug.getinfo(2, 'S').source
              local lines = ran[source]
              if not lines then
                lines = {}
                ran[source] = lines
              end
              lines[line] = true
            end, 'l')
            local function text_of(lines)
              local numbers = {}
              for line in pairs(lines) do
                numbers[#numbers + 1] = line
              end
              return table.concat(numbers, ' ')
            end
            function __ran(source) return text_of(ran[source] or {}) end
            function __outcomes() return text_of(met) end
            function __code(script)
              local bytes, at, found = string.dump(script), 13, {}
              local size_of_size = string.byte(bytes, 9)
              local function number(size)
                local value = 0
                for i = size, 1, -1 do
                  value = value * 256 + string.byte(bytes, at + i - 1)
                end
                at = at + size
                return value
              end
              local function skip(size)
                at = at + size
              end
              local function skip_text()
                skip(number(size_of_size))
              end
              local function each(action)
                for _ = 1, number(4) do
                  action()
                end
              end
              local sizes = {[0] = 0, [1] = 1, [3] = 8}
              local function constant()
                local kind = number(1)
                if kind == 4 then
                  skip_text()
                else
                  skip(sizes[kind])
                end
              end
              local function body()
                skip_text()
                skip(12)
                skip(4 * number(4))
                each(constant)
                each(body)
                each(function() found[number(4)] = true end)
                each(function() skip_text() skip(8) end)
                each(skip_text)
              end
              body()
              return text_of(found)
            end
            """;

    /**
     * Interpreters that no model uses at present. To start one and to compile the scripts again takes longer than many
     * a run.
     */
    private static final Queue<LuaInterpreter> IDLE = new ConcurrentLinkedQueue<>();

    /** The digests of the scripts that were sent in full. */
    private static final Map<String, String> DIGESTS = new ConcurrentHashMap<>();

    private final Lua lua = new Lua51();
    private final @Nullable ScriptCoverage coverage;

    /** The number of the first condition of each script, if conditions are noted. */
    private final Map<String, Integer> firstConditions = new HashMap<>();

    private int conditionCount;

    /** The functions that scripts were compiled to, by their text. */
    private final Map<String, Integer> compiled = new HashMap<>();

    private @Nullable Calls calls;

    /** Carries out what a script asks for. */
    interface Calls {
        @Nullable
        Object run(String name, List<String> args);

        boolean knows(String name);

        /** Writes a number that a script hands to a command. */
        String text(double number);
    }

    /**
     * Returns an interpreter that nobody else uses until it is closed.
     *
     * @param coverage told which lines of scripts have run, if anybody asks
     */
    static LuaInterpreter open(@Nullable ScriptCoverage coverage) {
        // One that notes lines knows those of its own scripts only.
        LuaInterpreter idle = coverage == null ? IDLE.poll() : null;
        return idle == null ? new LuaInterpreter(coverage) : idle;
    }

    private LuaInterpreter(@Nullable ScriptCoverage coverage) {
        this.coverage = coverage;
        for (String library : List.of("", "string", "table", "math")) {
            lua.openLibrary(library);
        }
        lua.push(this::run);
        lua.setGlobal("__run");
        lua.push(state -> {
            state.push(sha1(String.valueOf(state.toString(1))));
            return 1;
        });
        lua.setGlobal("__sha1hex");
        lua.push(state -> {
            state.push(present().knows(String.valueOf(state.toString(1))));
            return 1;
        });
        lua.setGlobal("__known");
        lua.run(LIBRARY);
        if (coverage != null) {
            lua.openLibrary("debug");
            lua.run(COVERAGE);
        }
    }

    private Calls present() {
        Calls present = calls;
        if (present == null) {
            throw new IllegalStateException("no script runs");
        }
        return present;
    }

    /** Runs a script, and returns its reply or an {@link Answer.Failure}. */
    @Nullable
    Object run(String source, List<String> keys, List<String> args, Calls serving) {
        int top = lua.getTop();
        calls = serving;
        try {
            int function = compiled.computeIfAbsent(source, text -> {
                lua.load(coverage == null ? loaded(text) : watched(text));
                return lua.ref();
            });
            push("KEYS", keys);
            push("ARGV", args);
            lua.getGlobal("__call");
            lua.refGet(function);
            lua.pCall(1, 1);
            return reply(lua, lua.getTop());
        } catch (LuaException e) {
            return new Answer.Failure("ERR " + e.getMessage());
        } finally {
            calls = null;
            lua.setTop(top);
        }
    }

    /** The first line may say what the server is to do with the script. */
    private static String loaded(String source) {
        return source.startsWith("#!") ? "--" + source : source;
    }

    /** The same with a call around each condition, so that its outcomes are noted. */
    private String watched(String source) {
        String text = loaded(source);
        ScriptConditions conditions = ScriptConditions.of(text);
        int first = firstConditions.computeIfAbsent(source, any -> {
            int number = conditionCount;
            conditionCount += conditions.count();
            return number;
        });
        return conditions.calling("__met", first);
    }

    private void push(String global, List<String> texts) {
        lua.createTable(texts.size(), 0);
        for (int i = 0; i < texts.size(); i++) {
            lua.push(texts.get(i));
            lua.rawSetI(-2, i + 1);
        }
        lua.setGlobal(global);
    }

    /** Carries out the command of a {@code redis.call} or {@code redis.pcall}. */
    private int run(Lua state) {
        int count = state.getTop();
        List<String> args = new ArrayList<>(count);
        for (int i = 1; i <= count; i++) {
            LuaType type = state.type(i);
            if (type == LuaType.NUMBER) {
                args.add(present().text(state.toNumber(i)));
            } else if (type == LuaType.STRING) {
                args.add(String.valueOf(state.toString(i)));
            } else {
                push(state, new Answer.Failure("ERR Command arguments must be strings or integers"));
                return 1;
            }
        }
        push(
                state,
                args.isEmpty()
                        ? new Answer.Failure("ERR Please specify at least one argument for this call")
                        : present().run(args.get(0), args.subList(1, args.size())));
        return 1;
    }

    private static void push(Lua state, @Nullable Object reply) {
        if (reply == null) {
            state.push(false);
        } else if (reply instanceof Long number) {
            state.push((Number) number.doubleValue());
        } else if (reply instanceof String text) {
            state.push(text);
        } else if (reply instanceof List<?> list) {
            state.checkStack(3);
            state.createTable(list.size(), 0);
            for (int i = 0; i < list.size(); i++) {
                push(state, list.get(i));
                state.rawSetI(-2, i + 1);
            }
        } else {
            state.createTable(0, 1);
            state.push(reply instanceof Answer.Failure failure ? failure.text() : ((Answer.Status) reply).text());
            state.setField(-2, reply instanceof Answer.Failure ? "err" : "ok");
        }
    }

    private static @Nullable Object reply(Lua state, int index) {
        LuaType type = state.type(index);
        if (type == LuaType.NUMBER) {
            double number = state.toNumber(index);
            // As the processor of most servers converts it.
            return Double.isNaN(number) ? (Object) Long.MIN_VALUE : (Object) (long) number;
        }
        if (type == LuaType.STRING) {
            return state.toString(index);
        }
        if (type == LuaType.BOOLEAN) {
            return state.toBoolean(index) ? 1L : null;
        }
        if (type != LuaType.TABLE) {
            return null;
        }
        for (String field : List.of("err", "ok")) {
            state.getField(index, field);
            String text = state.type(-1) == LuaType.STRING ? state.toString(-1) : null;
            state.pop(1);
            if (text != null) {
                return field.equals("err") ? new Answer.Failure(text) : new Answer.Status(text);
            }
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 1; ; i++) {
            state.rawGetI(index, i);
            if (state.isNil(-1)) {
                state.pop(1);
                return list;
            }
            list.add(reply(state, state.getTop()));
            state.pop(1);
        }
    }

    /** Returns the digest by which a script is known from when it was sent. */
    static String digest(String script) {
        return DIGESTS.computeIfAbsent(script, LuaInterpreter::sha1);
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    private void cover(ScriptCoverage told) {
        lua.getGlobal("__outcomes");
        lua.pCall(0, 1);
        BitSet outcomes = numbers(String.valueOf(lua.toString(-1)));
        compiled.forEach((source, function) -> {
            lua.getGlobal("__code");
            lua.refGet(function);
            lua.pCall(1, 1);
            BitSet code = numbers(String.valueOf(lua.toString(-1)));
            lua.getGlobal("__ran");
            String watched = watched(source);
            lua.push(watched);
            lua.pCall(1, 1);
            int first = Objects.requireNonNull(firstConditions.get(source), "compiled");
            int end = first + ScriptConditions.of(loaded(source)).count();
            told.note(source, code, numbers(String.valueOf(lua.toString(-1))), outcomes.get(2 * first, 2 * end));
            lua.setTop(0);
        });
    }

    private static BitSet numbers(String text) {
        BitSet numbers = new BitSet();
        text.lines()
                .flatMap(line -> Stream.of(line.split(" ", -1)))
                .mapToInt(Integer::parseInt)
                .forEach(numbers::set);
        return numbers;
    }

    @Override
    public void close() {
        if (coverage == null) {
            IDLE.add(this);
        } else {
            cover(coverage);
            lua.close();
        }
    }
}
