// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.peers.client.Make;
import dev.interlock.peers.client.PeerWire;
import dev.interlock.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Four processes of three languages that count under one lock. */
class MixedLoadTest {
    private final RedisServer redis = RedisServer.start();

    /** Kept after a failure: a history that took an hour is worth a look. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    @Tag("deep")
    void processesOfThreeLanguagesLoseNoUpdate(TestReporter reporter) {
        count(Duration.ofMinutes(1), reporter);
    }

    @Test
    @Tag("nightly")
    void processesOfThreeLanguagesLoseNoUpdateInAnHour(TestReporter reporter) {
        count(Duration.ofHours(1), reporter);
    }

    private void count(Duration time, TestReporter reporter) {
        String port = Integer.toString(redis.port());
        List<Path> files = Stream.of("java-1", "java-2", "node", "python")
                .map(name -> directory.resolve(name + ".jsonl"))
                .toList();
        try (ClientProcess first = LockProcess.start(Make.OURS, PeerWire.NAME_ALONE, port, "java-1", files.get(0));
                ClientProcess second = LockProcess.start(Make.OURS, PeerWire.NAME_ALONE, port, "java-2", files.get(1));
                ClientProcess node = PeerKind.NODE_REDLOCK_5.process(port, "node", files.get(2), reporter);
                ClientProcess python = PeerKind.REDIS_PY.process(port, "python", files.get(3), reporter)) {
            List<Long> counts = new SharedCounter(redis).count(List.of(first, second, node, python), time);
            reporter.publishEntry("interlock.peers.pairs", "two of Java, Node.js, Python: " + counts);
        }
        PeerHistories.judge(files);
    }
}
