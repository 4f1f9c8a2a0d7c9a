// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Deletes a key if it has a value: by the command that some servers have for it, otherwise by a script.
 *
 * <p>The first script that a server is sent also looks for the command, so that it costs no request to find out. Safe
 * to use from any thread.
 */
final class ConditionalDelete {
    private static final String NONE = "";

    private final RedisNode node;
    private final LuaScript freeUnwaited;

    /** The knowledge of each server, by its lane. */
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** The command that a server has; another one may answer in another generation of connections. */
    private record Known(String command, long generation) {}

    ConditionalDelete(RedisNode node, LuaScript freeUnwaited) {
        this.node = node;
        this.freeUnwaited = freeUnwaited;
    }

    /**
     * Deletes a key if it has a value.
     *
     * @return whether it was deleted; if not, or if the server has refused that, nothing is known
     * @throws LockBackendException if the server was not reached, or did not answer
     */
    boolean ifEqual(String key, String value, Duration timeout) {
        String lane = node.lane(key);
        long generation = node.generation(key);
        Known server = known.get(lane);
        try {
            if (server == null || server.generation != generation) {
                return byScriptThatLooks(lane, generation, key, value, timeout);
            }
            return isOne(node.call(command(server.command, key, value), timeout));
        } catch (LockBackendException e) {
            if (e.reason() != Reason.REFUSED) {
                throw e;
            }
            if (server != null && !server.command.equals(NONE)) {
                known.put(lane, new Known(NONE, generation));
            }
            return false;
        }
    }

    /**
     * Deletes a key if it has a value and another key is absent. No server has a command for that, so a script does it.
     *
     * @return whether it was deleted; if not, or if the server has refused that, nothing is known
     * @throws LockBackendException if the server was not reached, or did not answer
     */
    boolean ifEqualAndAbsent(String key, String value, String other, Duration timeout) {
        try {
            RedisCommand script = RedisCommand.script(freeUnwaited, List.of(key, other), List.of(value));
            return isOne(node.call(script, timeout));
        } catch (LockBackendException e) {
            if (e.reason() != Reason.REFUSED) {
                throw e;
            }
            return false;
        }
    }

    private static RedisCommand command(String command, String key, String value) {
        return switch (command) {
            case "DELEX" -> RedisCommand.of(command, key, "IFEQ", value);
            case "DELIFEQ" -> RedisCommand.of(command, key, value);
            default -> RedisCommand.script(LockScripts.FREE, List.of(key), List.of(value));
        };
    }

    private boolean byScriptThatLooks(String lane, long generation, String key, String value, Duration timeout) {
        List<?> answer = (List<?>)
                node.call(RedisCommand.script(LockScripts.FREE, List.of(key), List.of(value, "look")), timeout);
        if (answer == null) {
            return false;
        }
        known.put(lane, new Known((String) answer.get(1), generation));
        return isOne(answer.get(0));
    }

    private static boolean isOne(@Nullable Object reply) {
        return Long.valueOf(1).equals(reply);
    }
}
