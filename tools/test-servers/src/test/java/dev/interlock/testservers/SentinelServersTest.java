// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SentinelServersTest {
    @Test
    void sentinelsSwitchOverToAReplicaThatHasTheData() {
        try (SentinelServers group = SentinelServers.start("--requirepass", "secret")) {
            RedisServer first = group.primary();
            assertThat(group.uri())
                    .matches("redis-sentinel://127.0.0.1:\\d+,127.0.0.1:\\d+,127.0.0.1:\\d+/0#" + group.masterName())
                    .contains("127.0.0.1:" + group.sentinels().get(0).port());
            assertThat(group.servers()).hasSize(3).contains(first);
            write(first);

            RedisServer second = group.switchOver();
            assertThat(second).isNotSameAs(first).isSameAs(group.primary());
            assertThat(second.command("GET", "k")).isEqualTo("v");
            assertThat(role(first)).isEqualTo("slave");
            assertThat(group.replicas()).hasSize(2).contains(first).doesNotContain(second);

            assertThat(group.toString()).doesNotContain("secret");
        }
    }

    @Test
    @Tag("deep")
    void aPrimaryThatWasKilledIsReplacedAndComesBackAsAReplica() {
        try (SentinelServers group = SentinelServers.start()) {
            write(group.primary());
            RedisServer killed = group.killPrimary();
            RedisServer promoted = group.awaitPrimaryOtherThan(killed);
            assertThat(killed.isRunning()).isFalse();
            assertThat(role(promoted)).isEqualTo("master");
            assertThat(promoted.command("GET", "k")).isEqualTo("v");

            killed.restart();
            group.awaitSettled();
            assertThat(role(killed)).isEqualTo("slave");
            assertThat(killed.command("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    @Tag("deep")
    void aPrimaryThatStoodStillIsMadeAReplicaOfItsSuccessor() {
        try (SentinelServers group = SentinelServers.start(1)) {
            RedisServer paused = group.pausePrimary();
            RedisServer promoted = group.awaitPrimaryOtherThan(paused);
            paused.resume();
            group.awaitSettled();

            assertThat(role(paused)).isEqualTo("slave");
            assertThat(group.primary()).isSameAs(promoted);
        }
    }

    /** A primary does not wait for its replicas unless it is told to. */
    private static void write(RedisServer primary) {
        primary.command("SET", "k", "v");
        assertThat(primary.command("WAIT", "2", "0")).isEqualTo(2L);
    }

    private static String role(RedisServer server) {
        return String.valueOf(((List<?>) server.command("ROLE")).get(0));
    }
}
