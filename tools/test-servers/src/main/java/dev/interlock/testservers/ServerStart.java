// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts several servers at the same time. */
final class ServerStart {
    private ServerStart() {}

    /**
     * Starts servers with the same arguments, and waits until all of them answer.
     *
     * @throws RedisServerException if one of them does not start; the others are closed then
     */
    static List<RedisServer> together(int count, List<String> arguments) {
        Supplier<RedisServer> start = () -> RedisServer.start(arguments.toArray(String[]::new));
        List<CompletableFuture<RedisServer>> starting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            starting.add(CompletableFuture.supplyAsync(start, task -> new Thread(task, "redis-start").start()));
        }
        List<RedisServer> started = new ArrayList<>();
        RedisServerException failure = null;
        for (CompletableFuture<RedisServer> each : starting) {
            try {
                started.add(each.join());
            } catch (CompletionException e) {
                failure = new RedisServerException("one of " + count + " servers was not started", e.getCause());
            }
        }
        if (failure != null) {
            started.forEach(RedisServer::close);
            throw failure;
        }
        return started;
    }

    /** Returns the arguments for servers with replication, followed by those of the caller. */
    static List<String> withReplication(List<String> extra) {
        List<String> arguments = new ArrayList<>(List.of(
                // A replica is synchronized at once, instead of five seconds later together with others.
                "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"));
        arguments.addAll(extra);
        String password = password(extra);
        if (password != null) {
            arguments.addAll(List.of("--masterauth", password));
        }
        return arguments;
    }

    /** Returns the password among a server's arguments, or {@code null} if there is none. */
    static @Nullable String password(List<String> arguments) {
        int password = arguments.indexOf("--requirepass") + 1;
        return password > 0 ? arguments.get(password) : null;
    }
}
