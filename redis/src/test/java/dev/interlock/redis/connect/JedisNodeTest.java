// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ShiftedEnvironment;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JedisNodeTest extends OwnConnectionsContract {
    @Override
    RedisNode open(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return RedisNodes.jedis(endpoint, settings, env);
    }

    @Override
    void useManyConnections(RedisServer server, RedisNode node) throws Exception {
        int threads = 8;
        ExecutorService executor = closeLater(new Executor(threads)).service;
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(executor.submit(() -> node.call(BLOCKING, LONG)));
        }
        awaitBlockedClients(server, threads);
        for (int i = 0; i < threads; i++) {
            server.command("RPUSH", "list", "x");
        }
        for (Future<?> each : all) {
            each.get();
        }
    }

    @Test
    @Tag("both-legs")
    void aVirtualThreadWhoseTurnDoesNotComeInTimeSendsNothing() throws Exception {
        assumeThat(Runtime.version().feature())
                .as("virtual threads came with Java 21")
                .isGreaterThanOrEqualTo(21);
        RedisServer server = start();
        RedisNode node = node(server.uri());
        Method startVirtual = Thread.class.getMethod("startVirtualThread", Runnable.class);
        int all = 64;
        List<CompletableFuture<Object>> replies = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            CompletableFuture<Object> reply = new CompletableFuture<>();
            startVirtual.invoke(null, (Runnable) () -> reply.complete(String.valueOf(node.call(BLOCKING, LONG))));
            replies.add(reply);
        }
        awaitBlockedClients(server, all);
        CompletableFuture<LockBackendException> tooMany = new CompletableFuture<>();
        startVirtual.invoke(null, (Runnable) () -> tooMany.complete(catchThrowableOfType(
                LockBackendException.class, () -> node.call(RedisCommand.of("SET", "k", "v"), SHORT))));

        LockBackendException failure = tooMany.get(20, TimeUnit.SECONDS);

        assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.UNREACHABLE);
        assertThat(failure).hasMessageContaining("too many threads");
        for (int i = 0; i < all; i++) {
            server.command("RPUSH", "list", "x");
        }
        for (CompletableFuture<Object> reply : replies) {
            assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo("[list, x]");
        }
        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    void threadsThatFindNoConnectionFreeAreServedInTheOrderInWhichTheyCame() throws Exception {
        RedisServer server = start();
        ConnectionSettings settings =
                ConnectionSettings.of(CONFIG).toBuilder().connections(1).build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(server.uri()), settings, Environment.system()));
        ExecutorService executor = closeLater(new Executor(1)).service;
        Future<Object> busy = executor.submit(() -> node.call(BLOCKING, LONG));
        awaitBlockedClients(server, 1);
        List<Thread> threads = new ArrayList<>();
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String number = Integer.toString(i);
            Thread thread = new Thread(() -> node.call(RedisCommand.of("RPUSH", "turns", number), LONG));
            thread.start();
            await().atMost(LONG).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            threads.add(thread);
            numbers.add(number);
        }

        server.command("RPUSH", "list", "x");
        busy.get();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(server.command("LRANGE", "turns", "0", "-1")).isEqualTo(numbers);
    }

    @Test
    void anUrgentCallDoesNotWaitForThoseThatUseAllConnections() throws Exception {
        RedisServer server = start();
        ConnectionSettings settings =
                ConnectionSettings.of(CONFIG).toBuilder().connections(1).build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(server.uri()), settings, Environment.system()));
        ExecutorService executor = closeLater(new Executor(1)).service;
        Future<Object> busy = executor.submit(() -> node.call(BLOCKING, LONG));
        awaitBlockedClients(server, 1);

        LockBackendException none = failure(() -> node.call(PING, SHORT));

        assertThat(none).hasMessageContaining("became free");
        assertThat(node.callUrgently(PING, LONG)).isEqualTo("PONG");
        server.command("RPUSH", "list", "x");
        assertThat(String.valueOf(busy.get())).isEqualTo("[list, x]");
    }

    @Test
    void aConnectionThatEndedWhileItWasIdleCostsNoFailure() {
        RedisServer server = start();
        ShiftedEnvironment env = new ShiftedEnvironment();
        RedisNode node = node(server.uri(), env);
        node.call(RedisCommand.of("PING"), LONG);
        server.command("CLIENT", "KILL", "TYPE", "normal");
        env.putForward(TimeUnit.SECONDS.toNanos(5));

        assertThat(node.call(RedisCommand.of("PING"), LONG)).isEqualTo("PONG");
    }

    @Test
    void aConnectionThatWasIdleForLongIsUsedAgain() {
        RedisServer server = start();
        ShiftedEnvironment env = new ShiftedEnvironment();
        RedisNode node = node(server.uri(), env);
        node.call(RedisCommand.of("SET", "k", "v"), LONG);
        Object connections = server.command("INFO", "stats");
        env.putForward(TimeUnit.SECONDS.toNanos(5));

        assertThat(node.call(RedisCommand.of("GET", "k"), LONG)).isEqualTo("v");
        assertThat(received(server.command("INFO", "stats"))).isEqualTo(received(connections));
    }

    private static String received(Object stats) {
        return String.valueOf(stats)
                .lines()
                .filter(line -> line.startsWith("total_connections_received"))
                .findFirst()
                .orElseThrow();
    }
}
