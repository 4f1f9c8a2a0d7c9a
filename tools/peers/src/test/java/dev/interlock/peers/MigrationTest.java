// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.awaitility.Awaitility.await;

import dev.interlock.peers.client.Make;
import dev.interlock.peers.client.PeerWire;
import dev.interlock.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fleet that goes from another lock to one of ours, one process after the other, while all others are at work. */
@Tag("deep")
class MigrationTest {
    private static final int FLEET = 4;

    /** How much the fleet counts between two replacements. */
    private static final long UPDATES = 200;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final RedisServer redis = RedisServer.start();
    private final SharedCounter counter = new SharedCounter(redis);
    private final List<ClientProcess> fleet = new ArrayList<>();
    private final List<Long> counts = new ArrayList<>();
    private final List<Path> histories = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        fleet.forEach(ClientProcess::close);
        redis.close();
    }

    @Test
    void aFleetThatLeavesSpringsRegistryLosesNoUpdate() {
        roll(PeerWire.SPRING, Make.SPRING_SPIN, Make.OURS);
    }

    @Test
    void aFleetThatLeavesSpringsRegistryOfTheKindThatIsToldLosesNoUpdate() {
        roll(PeerWire.SPRING_ANNOUNCED, Make.SPRING_PUB_SUB, Make.OURS);
    }

    @Test
    void aFleetThatLeavesShedLockLosesNoUpdate() {
        roll(PeerWire.SHEDLOCK, Make.SHEDLOCK, Make.OURS);
    }

    @Test
    void aFleetThatLeavesAHomeMadeLockLosesNoUpdate() {
        roll(PeerWire.HOME_MADE, Make.HOME_MADE, Make.OURS);
    }

    /** The last two steps are those by which any fleet changes its keys. */
    @Test
    void aFleetThatLeavesRedissonAndThenItsFormatLosesNoUpdate() {
        roll(PeerWire.NAME_ALONE, Make.REDISSON, Make.OURS_AS_REDISSON, Make.OURS_AS_REDISSON_AND_OWN, Make.OURS_OWN);
    }

    /** Replaces all processes by those of the next make, and so on; each begins when the one before it has ended. */
    private void roll(PeerWire wire, Make first, Make... next) {
        for (int i = 0; i < FLEET; i++) {
            fleet.add(start(wire, first, i));
        }
        fleet.forEach(MigrationTest::work);
        for (Make make : next) {
            for (int i = 0; i < FLEET; i++) {
                awaitUpdates();
                counts.add(fleet.get(i).stopLoad());
                fleet.get(i).close();
                fleet.set(i, start(wire, make, i));
                work(fleet.get(i));
            }
        }
        awaitUpdates();
        fleet.forEach(process -> counts.add(process.stopLoad()));
        counter.requireAll(counts);
        PeerHistories.judge(histories);
    }

    private ClientProcess start(PeerWire wire, Make make, int number) {
        String name = make + "-" + number;
        Path history = directory.resolve(name + ".jsonl");
        histories.add(history);
        return LockProcess.start(make, wire, Integer.toString(redis.port()), name, history);
    }

    private static void work(ClientProcess process) {
        process.load(Duration.ofHours(1), SharedCounter.KEY);
    }

    private void awaitUpdates() {
        long enough = counter.value() + UPDATES;
        await().atMost(PATIENCE).until(() -> counter.value() >= enough);
    }
}
