// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A real server that is told the time, as the model is: no reply depends on how long a command was under way.
 *
 * <p>Its own clock cannot be set. So whatever would read it is sent in the form that names the moment: a script reads
 * the time that it was given, and lives end at a moment, far enough in the future that the server's clock never gets
 * there.
 */
final class TimedServer {
    /** The commands that read the clock. */
    private static final Set<String> TIMED = Set.of("SET", "PEXPIRE", "PTTL");

    /** Stands before a script, whose last argument is the time in µs, and which finds the rest as it was. */
    private static final String GIVEN_TIME = """
            local redis = (function(server)
              local micros = tonumber(table.remove(ARGV))
              local millis = math.floor(micros / 1000)
              -- When a life ends; nil for one that is over at once, or that the server refuses, whatever its
              -- clock says.
              local function ends(life)
                if type(life) == 'number' then
                  life = string.format('%.17g', life)
                end
                if life and string.match(life, '^[1-9]%d*$') and #life < 16 then
                  return string.format('%.0f', millis + life)
                end
              end
              local function at_time(run)
                return function(name, ...)
                  local args = {...}
                  if name == 'TIME' then
                    -- The clock of some servers goes on while a script runs; by as much as that of the model.
                    micros = micros + CLOCK_STEP
                    local seconds = math.floor(micros / 1000000)
                    return {string.format('%.0f', seconds), string.format('%.0f', micros - seconds * 1000000)}
                  elseif name == 'PTTL' then
                    local at = run('PEXPIRETIME', ...)
                    return type(at) == 'number' and at >= 0 and math.max(0, at - millis) or at
                  elseif name == 'PEXPIRE' and ends(args[2]) then
                    args[2] = ends(args[2])
                    return run('PEXPIREAT', unpack(args))
                  elseif name == 'SET' then
                    for i = 3, #args - 1 do
                      if args[i] == 'PX' and ends(args[i + 1]) then
                        args[i], args[i + 1] = 'PXAT', ends(args[i + 1])
                        return run('SET', unpack(args))
                      end
                    end
                  end
                  return run(name, ...)
                end
              end
              return setmetatable({call = at_time(server.call), pcall = at_time(server.pcall)}, {__index = server})
            end)(redis)
            """;

    /** Deletes the keys whose lives are over, and returns the others with the ends of their lives, or -1. */
    private static final String LIVES = """
            local lives = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
              local ends = redis.call('PEXPIRETIME', key)
              if ends >= 0 and ends < tonumber(ARGV[1]) then
                redis.call('DEL', key)
              else
                lives[#lives + 1] = key
                lives[#lives + 1] = ends
              end
            end
            return lives
            """;

    private final RespConnection connection;
    private final String givenTime;

    TimedServer(RespConnection connection, Flavour flavour) {
        this.connection = connection;
        this.givenTime = GIVEN_TIME.replace("CLOCK_STEP", flavour == Flavour.REDIS_7 ? "1" : "0");
    }

    /** Carries out a command as if it was a certain time. */
    @Nullable
    Object call(long micros, List<String> words) throws IOException {
        List<String> sent = new ArrayList<>(words);
        if (words.get(0).equals("EVAL")) {
            String source = words.get(1);
            // The first line may say what the server is to do with the script.
            int begin = source.startsWith("#!") ? source.indexOf('\n') + 1 : 0;
            sent.set(1, source.substring(0, begin) + givenTime + source.substring(begin));
        } else if (TIMED.contains(words.get(0))) {
            sent.addAll(0, List.of("EVAL", givenTime + "return redis.pcall(unpack(ARGV))", "0"));
        } else {
            return connection.call(words.toArray(String[]::new));
        }
        sent.add(Long.toString(micros));
        return connection.call(sent.toArray(String[]::new));
    }

    /**
     * Ends what is over at a time, and returns the keys that live with the ms until their ends or -1, as
     * {@link Keyspace#lives}.
     */
    Map<String, Long> lives(long millis) throws IOException {
        List<?> found = (List<?>) connection.call("EVAL", LIVES, "0", Long.toString(millis));
        Map<String, Long> lives = new TreeMap<>();
        for (int i = 0; i < found.size(); i += 2) {
            long ends = (Long) found.get(i + 1);
            lives.put((String) found.get(i), ends < 0 ? ends : ends - millis);
        }
        return lives;
    }

    void withoutMemory(boolean without) throws IOException {
        connection.call("CONFIG", "SET", "maxmemory", without ? "1" : "0");
    }

    /** Ends the transaction of the connection, if there is one. */
    void reset() throws IOException {
        connection.call("RESET");
    }

    void clear() throws IOException {
        withoutMemory(false);
        connection.call("FLUSHALL");
    }
}
