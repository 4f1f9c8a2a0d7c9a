// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.jedis.JedisDialer;
import dev.interlock.redis.client.jedis.JedisWire;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int CALLS = 20_000;

    private final Environment env = Environment.system();

    @Test
    void retiringConnectionsFailsNobody() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            RedisEndpoint endpoint = RedisEndpoint.parse(server.uri());
            Failures failures = new Failures(env, endpoint.toString());
            ConnectionSettings settings =
                    ConnectionSettings.builder().connectTimeout(LONG).build();
            ServerAccess access = new ServerAccess(env, failures, endpoint, settings, false);
            JedisWire pool = JedisWire.own(env, access);
            Connections connections = new Connections(env, failures, new JedisDialer(env, access), pool, 2);
            AtomicInteger calls = new AtomicInteger();
            List<FutureTask<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                FutureTask<Void> caller = new FutureTask<>(() -> {
                    while (calls.incrementAndGet() <= CALLS) {
                        CombiningLine line = new CombiningLine(env, failures, connections, false);
                        String text = "text-" + calls.get();
                        assertThat(line.exchange(
                                        List.of(RedisCommand.of("ECHO", text)), List.of(), new Deadline(env, LONG)))
                                .containsExactly(text);
                    }
                    return null;
                });
                new Thread(caller, "caller").start();
                callers.add(caller);
            }
            while (calls.get() < CALLS) {
                int before = calls.get();
                connections.retireOpenedBefore(env.nanoTime());
                while (calls.get() < Math.min(CALLS, before + 50)) {
                    Thread.onSpinWait();
                }
            }
            for (FutureTask<Void> caller : callers) {
                caller.get(30, TimeUnit.SECONDS);
            }
            connections.close();
            pool.close();
        }
    }

    @Test
    @Tag("deep")
    void aThousandThreadsMakeTheirCallsAndNoneFailsOrIsLeftBehind() throws Exception {
        int calls = 20;
        try (RedisServer server = RedisServer.start();
                RedisNode node = RedisNodes.interlock(
                        RedisEndpoint.parse(server.uri()),
                        ConnectionSettings.builder().build(),
                        env)) {
            CountDownLatch ready = new CountDownLatch(1000);
            List<FutureTask<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                String key = "own-" + i;
                FutureTask<Integer> caller = new FutureTask<>(() -> {
                    ready.countDown();
                    ready.await();
                    int right = 0;
                    for (long n = 1; n <= calls; n++) {
                        right += node.call(RedisCommand.of("INCR", key), LONG).equals(n) ? 1 : 0;
                    }
                    return right;
                });
                new Thread(caller, "caller").start();
                callers.add(caller);
            }
            for (FutureTask<Integer> caller : callers) {
                assertThat(caller.get(120, TimeUnit.SECONDS)).isEqualTo(calls);
            }
        }
    }
}
