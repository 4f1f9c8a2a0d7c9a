// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.peers.LockProcess.Make;
import dev.interlock.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fleet that goes from Spring's registry to locks of ours, one process after the other, while all are at work. */
@Tag("deep")
class MigrationTest {
    private static final String COUNTER = "counter";
    private static final int FLEET = 4;
    private static final Duration STEP = Duration.ofSeconds(3);

    private final RedisServer redis = RedisServer.start();

    @TempDir
    Path directory;

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void aFleetThatLeavesSpringsRegistryLosesNoUpdate() {
        List<Path> files = new ArrayList<>();
        List<PeerProcess> before = new ArrayList<>();
        List<PeerProcess> after = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        try {
            for (int i = 0; i < FLEET; i++) {
                before.add(start(Make.SPRING, "spring-" + i, files));
            }
            for (int i = 0; i < FLEET; i++) {
                before.get(i).load(STEP.multipliedBy(i + 1L), COUNTER);
            }
            for (int i = 0; i < FLEET; i++) {
                counts.add(before.get(i).loaded());
                PeerProcess next = start(Make.OURS, "ours-" + i, files);
                next.load(STEP.multipliedBy(FLEET - i), COUNTER);
                after.add(next);
            }
            after.forEach(process -> counts.add(process.loaded()));
        } finally {
            before.forEach(PeerProcess::close);
            after.forEach(PeerProcess::close);
        }
        assertThat(counts).as("each has had its turn").allMatch(count -> count > 0);
        assertThat(redis.command("GET", COUNTER))
                .as("updates, of which %s were made", counts)
                .isEqualTo(
                        Long.toString(counts.stream().mapToLong(Long::longValue).sum()));
        Histories.judge(files);
    }

    private PeerProcess start(Make make, String name, List<Path> files) {
        Path history = directory.resolve(name + ".jsonl");
        files.add(history);
        return LockProcess.start(make, Wire.SPRING, Integer.toString(redis.port()), name, history);
    }
}
