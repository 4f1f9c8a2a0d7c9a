// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SentinelServersTest {
    @Test
    void sentinelsSwitchOverAndReplaceAPrimaryThatWasKilled() {
        try (SentinelServers group = SentinelServers.start("--requirepass", "secret")) {
            RedisServer first = group.primary();
            assertThat(group.uri())
                    .matches("redis-sentinel://127.0.0.1:\\d+,127.0.0.1:\\d+,127.0.0.1:\\d+/0#" + group.masterName())
                    .contains("127.0.0.1:" + group.sentinels().get(0).port());
            assertThat(group.servers()).hasSize(3).contains(first);
            first.command("SET", "k", "v");

            RedisServer second = group.switchOver();
            assertThat(second).isNotSameAs(first).isSameAs(group.primary());
            assertThat(second.command("GET", "k")).isEqualTo("v");
            assertThat(role(first)).isEqualTo("slave");
            assertThat(group.replicas()).hasSize(2).contains(first).doesNotContain(second);

            RedisServer killed = group.killPrimary();
            RedisServer third = group.awaitPrimaryOtherThan(killed);
            assertThat(killed).isSameAs(second);
            assertThat(role(third)).isEqualTo("master");
            assertThat(third.command("GET", "k")).isEqualTo("v");
            assertThat(group.toString()).doesNotContain("secret");
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

    private static String role(RedisServer server) {
        return String.valueOf(((java.util.List<?>) server.command("ROLE")).get(0));
    }
}
