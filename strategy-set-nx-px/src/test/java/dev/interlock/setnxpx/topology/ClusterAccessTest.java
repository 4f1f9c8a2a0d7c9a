// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static dev.interlock.setnxpx.Fixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.request.AccessControlTest;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The access control lists that the documentation gives for clusters suffice, also for a slot that moves. */
@Tag("deep")
class ClusterAccessTest {
    private static ClusterServers cluster;

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = ClusterServers.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
    }

    private DistributedLock lock(String client, String name, String fencing, String release) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(cluster.uri().replace("://", "://locker:s3cret@"))
                        .commandTimeout(PATIENCE)
                        .option("client", client)
                        .option("fencing", fencing)
                        .option("release", release)
                        .build());
        factories.add(factory);
        return factory.getLock(name, Fixture.lease(Duration.ofMinutes(1)));
    }

    @ParameterizedTest
    @CsvSource({
        "6, interlock, true, script",
        "6, lettuce, true, script",
        "7, interlock, false, transaction",
        "7, lettuce, false, transaction"
    })
    void theDocumentedListSuffices(int line, String client, String fencing, String release) throws Exception {
        for (RedisServer node : cluster.nodes()) {
            node.command("ACL", "DELUSER", "locker");
            node.command("ACL", "LOG", "RESET");
            node.command(AccessControlTest.documentedList(line)
                    .replace(">…", ">s3cret")
                    .split(" "));
        }
        String name = client + "-" + release;
        DistributedLock mine = lock(client, name, fencing, release);
        DistributedLock theirs = lock(client, name, fencing, release);
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        int slot = cluster.slotOf(Fixture.key(name));
        RedisServer source = cluster.nodeOfSlot(slot);
        await().atMost(PATIENCE)
                .until(() -> !List.of().equals(source.command("PUBSUB", "SHARDCHANNELS", Fixture.key(name) + "*")));
        Fixture.renewByHand(mine.lease().orElseThrow());
        RedisServer target = cluster.primaries().stream()
                .filter(node -> node.port() != source.port())
                .findFirst()
                .orElseThrow();
        SlotMigration migration = cluster.beginMigration(slot, target);
        migration.moveKeys();
        Fixture.renewByHand(mine.lease().orElseThrow());
        migration.finish();
        cluster.awaitSettled();
        mine.unlock();
        waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        for (RedisServer node : cluster.nodes()) {
            assertThat((List<?>) node.command("ACL", "LOG"))
                    .as("commands that were refused")
                    .isEmpty();
        }
    }
}
