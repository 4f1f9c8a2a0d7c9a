// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ClusterServersTest {
    @Test
    void aSlotMovesWithItsKeysAndAHalfMovedOneAsksForTheOther() throws Exception {
        try (ClusterServers cluster = ClusterServers.start()) {
            List<RedisServer> primaries = cluster.primaries();
            assertThat(primaries).hasSize(3).isEqualTo(cluster.nodes());
            assertThat(cluster.uri())
                    .startsWith("redis-cluster://127.0.0.1:" + primaries.get(0).port() + ",");
            int slot = cluster.slotOf("{tag}a");
            assertThat(cluster.slotOf("{tag}b")).isEqualTo(slot);
            RedisServer source = cluster.nodeOfSlot(slot);
            RedisServer target = primaries.stream()
                    .filter(node -> node != source)
                    .findFirst()
                    .orElseThrow();
            source.command("SET", "{tag}a", "1");
            source.command("SET", "{tag}b", "2");

            SlotMigration migration = cluster.beginMigration(slot, target);
            migration.moveKeys(List.of("{tag}a"));
            assertThatThrownBy(() -> source.command("GET", "{tag}a"))
                    .hasMessage("ASK " + slot + " 127.0.0.1:" + target.port());
            assertThat(source.command("GET", "{tag}b")).isEqualTo("2");
            assertThatThrownBy(() -> target.command("GET", "{tag}a")).hasMessageStartingWith("MOVED ");
            migration.finish();
            cluster.awaitSettled();

            assertThat(cluster.nodeOfSlot(slot)).isSameAs(target);
            assertThat(target.command("GET", "{tag}a")).isEqualTo("1");
            assertThat(target.command("GET", "{tag}b")).isEqualTo("2");
            assertThatThrownBy(() -> source.command("GET", "{tag}b"))
                    .hasMessage("MOVED " + slot + " 127.0.0.1:" + target.port());
        }
    }

    @Test
    @Tag("deep")
    void replicasReplacePrimariesThatYieldDieOrStandStill() {
        try (ClusterServers cluster = ClusterServers.start(3, 1, "--requirepass", "secret")) {
            RedisServer first = cluster.primaries().get(0);
            RedisServer second = cluster.replicasOf(first).get(0);
            int slot = cluster.slotOf("k");
            cluster.nodeOfSlot(slot).command("SET", "k", "v");

            assertThat(cluster.failOver(first)).isSameAs(second);
            assertThat(cluster.primaries()).hasSize(3).startsWith(second);
            assertThat(cluster.replicasOf(second)).containsExactly(first);
            cluster.kill(second);
            assertThat(cluster.awaitFailover(second)).isSameAs(first);
            second.restart();
            cluster.awaitSettled();
            assertThat(cluster.replicasOf(first)).containsExactly(second);
            cluster.kill(first);
            assertThat(cluster.awaitFailover(first))
                    .as("one that was started again")
                    .isSameAs(second);

            RedisServer last = cluster.primaries().get(2);
            RedisServer replica = cluster.replicasOf(last).get(0);
            cluster.pause(last);
            assertThat(cluster.awaitFailover(last)).isSameAs(replica);
            last.resume();
            cluster.awaitSettled();
            assertThat(cluster.replicasOf(replica)).containsExactly(last);
            assertThat(cluster.nodeOfSlot(slot).command("GET", "k")).isEqualTo("v");
            cluster.migrateSlot(slot, second);
            assertThat(second.command("GET", "k")).isEqualTo("v");
            assertThat(cluster.toString()).doesNotContain("secret");
        }
    }

    @Test
    @Tag("deep")
    void aPrimaryIsRemovedWithItsReplicaAndLeavesItsKeysToTheOthers() {
        try (ClusterServers cluster = ClusterServers.start(3, 1)) {
            RedisServer leaving = cluster.primaries().get(1);
            RedisServer replica = cluster.replicasOf(leaving).get(0);
            int slot = 8192;
            String key = "";
            for (int i = 0; key.isEmpty() || cluster.slotOf(key) != slot; i++) {
                key = "key" + i;
                if (cluster.nodeOfSlot(cluster.slotOf(key)) == leaving) {
                    slot = cluster.slotOf(key);
                }
            }
            leaving.command("SET", key, "v");

            cluster.removeNode(leaving);

            assertThat(leaving.isRunning()).isFalse();
            assertThat(replica.isRunning()).isFalse();
            assertThat(cluster.nodes()).hasSize(4).doesNotContain(leaving, replica);
            assertThat(cluster.primaries()).hasSize(2);
            assertThat(cluster.nodeOfSlot(slot).command("GET", key)).isEqualTo("v");
        }
    }

    @Test
    @Tag("deep")
    void clientsAreToldOfProxiesAlsoAfterANodeWasStartedAgain() throws Exception {
        try (ClusterServers cluster = ClusterServers.start();
                FaultProxy proxy = FaultProxy.to(cluster.nodes().get(0))) {
            RedisServer first = cluster.nodes().get(0);
            cluster.announce(node -> node == first ? proxy.port() : node.port());
            first.restart();
            cluster.awaitSettled();

            assertThat(cluster.nodes().get(1).command("CLUSTER", "SLOTS").toString())
                    .contains("127.0.0.1, " + proxy.port());
            assertThat(cluster.nodeOfSlot(0)).isSameAs(first);
        }
    }
}
