// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ShiftedEnvironment;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What nodes do that open their own connections to an endpoint. */
abstract class OwnConnectionsContract extends RedisNodeContract {
    @Test
    void aUserNeedsNoPermissionButForTheCommandsThatAreCalled() {
        RedisServer server = start();
        server.command("ACL", "SETUSER", "locks", "on", ">p@ss/word", "~lock:*", "&lock:*", "+set", "+subscribe");
        RedisNode node = node("redis://locks:p%40ss%2Fword@127.0.0.1:" + server.port());

        assertThat(node.call(RedisCommand.of("SET", "lock:k", "v"), LONG)).isEqualTo("OK");
    }

    @Test
    void onlyALogInPrecedesTheFirstCommand() {
        RedisServer server = start("--requirepass", "hunter2");
        try (CommandMonitor monitor = server.monitor()) {
            node("redis://:hunter2@127.0.0.1:" + server.port() + "/1").call(RedisCommand.of("GET", "k"), LONG);

            assertThat(monitor.commands())
                    .containsExactly(List.of("AUTH", "(redacted)"), List.of("SELECT", "1"), List.of("GET", "k"));
        }
    }

    @Test
    void connectionsThatWereLostSilentlyWhileIdleCostNoFailure() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        ShiftedEnvironment shifted = new ShiftedEnvironment();
        RedisNode node = node(proxy.uri(), shifted);
        useManyConnections(server, node);
        shifted.putForward(TimeUnit.SECONDS.toNanos(2));
        proxy.halfOpen();

        for (int i = 0; i < 20; i++) {
            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
        }
    }

    @Test
    void aRequestWithoutAnAnswerCastsDoubtOnAllConnectionsThatWereIdleThen() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        useManyConnections(server, node);
        proxy.halfOpen();

        LockBackendException failure = failure(() -> node.call(PING, Duration.ofMillis(200)));

        assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
        assertThat(failure).hasMessageContaining("no reply");
        // So soon that none of them has been silent for long.
        useManyConnections(server, node);
    }

    @Test
    void passingErrorsOfTheServerSayThatItMayBeAskedLater() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("CONFIG", "SET", "maxmemory", "1");
        LockBackendException full = failure(() -> node.call(TAKE, LONG));
        server.command("CONFIG", "SET", "maxmemory", "0");

        assertThat(full.reason()).isEqualTo(UNREACHABLE);
        assertThat(full).hasMessageContaining("OOM").hasMessageContaining("memory");
        assertThat(node.call(TAKE, LONG)).isEqualTo("OK");
    }
}
