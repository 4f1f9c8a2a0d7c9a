// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.util.List;
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
}
