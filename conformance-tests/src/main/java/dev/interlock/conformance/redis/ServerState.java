// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.testservers.RedisServerException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration and users of a server right after its start. The server is compared with them before it is used
 * again.
 */
final class ServerState {
    /** Leaves out the replicas and sentinels of the server, which belong to it and reconnect. */
    private static final Pattern CLIENTS = Pattern.compile("(?m)^(?!.* name=sentinel-|.* flags=S ).+$");

    private final Map<Object, Object> config;
    private final List<?> users;

    /** Whether the server had replicas. They stay connected, and would reconnect while the server is checked. */
    private final boolean copied;

    /** Sends commands, all over one connection. */
    @FunctionalInterface
    interface Connection {
        /** Executes a command and returns its reply; an error reply is returned or thrown. */
        @Nullable
        Object call(String... args) throws IOException;
    }

    private ServerState(Map<Object, Object> config, List<?> users, boolean copied) {
        this.config = config;
        this.users = users;
        this.copied = copied;
    }

    static ServerState of(Connection server) throws IOException {
        boolean copied = !String.valueOf(call(server, "INFO", "replication")).contains("connected_slaves:0");
        return new ServerState(config(server), list(server, "ACL", "LIST"), copied);
    }

    private static Map<Object, Object> config(Connection server) throws IOException {
        Map<Object, Object> config = new HashMap<>();
        List<?> reply = list(server, "CONFIG", "GET", "*");
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            config.put(reply.get(i), reply.get(i + 1));
        }
        return config;
    }

    private static List<?> list(Connection server, String... command) throws IOException {
        if (call(server, command) instanceof List<?> list) {
            return list;
        }
        throw new RedisServerException("the server does not list what it is asked for by " + command[0]);
    }

    private static @Nullable Object call(Connection server, String... command) throws IOException {
        Object reply = server.call(command);
        if (reply instanceof RedisServerException error) {
            throw error;
        }
        return reply;
    }

    /** Disconnects all other clients, and deletes data, scripts and functions. */
    void clear(Connection server) throws IOException {
        // Disconnects before the flush, so that no client writes after it.
        disconnectOthers(server);
        call(server, "CLIENT", "UNPAUSE");
        call(server, "FLUSHALL");
        call(server, "SCRIPT", "FLUSH");
        call(server, "FUNCTION", "FLUSH");
        call(server, "CONFIG", "RESETSTAT");
    }

    /** Disconnects all clients but the one that asks. */
    void disconnectOthers(Connection server) throws IOException {
        for (String type : List.of("normal", "pubsub", "master")) {
            call(server, "CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
        }
        if (!copied) {
            call(server, "CLIENT", "KILL", "TYPE", "replica", "SKIPME", "yes");
        }
    }

    /**
     * Returns whether the server is as it was at its start: no other client is connected, there is no data, and the
     * configuration is the same.
     */
    boolean isUnchanged(Connection server) throws IOException {
        return !String.valueOf(call(server, "INFO", "keyspace")).contains("keys=")
                && clients(server) == 1
                && config.equals(config(server))
                && users.equals(list(server, "ACL", "LIST"));
    }

    private static long clients(Connection server) throws IOException {
        return CLIENTS.matcher(String.valueOf(call(server, "CLIENT", "LIST")))
                .results()
                .count();
    }
}
