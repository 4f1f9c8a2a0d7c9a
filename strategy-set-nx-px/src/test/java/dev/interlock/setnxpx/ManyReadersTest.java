// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand readers in eight processes, and a writer. */
class ManyReadersTest {
    private static final String NAME = "crowded";
    private static final int PROCESSES = 8;
    private static final int READERS = 125;
    private static final int WRITES = 5;

    @Test
    @Tag("deep")
    void aWriterHasItsTurnsAmongAThousandReadersThatReadTogether() throws Exception {
        try (Fixture redis = new Fixture("interlock")) {
            List<ReaderProcess> processes = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    processes.add(ReaderProcess.start(redis.server.uri(), NAME, READERS));
                }
                for (ReaderProcess process : processes) {
                    assertThat(process.next()).isEqualTo("all read");
                }
                DistributedLock writer = redis.factory().getReadWriteLock(NAME).writeLock();
                long last = 0;
                for (int i = 0; i < WRITES; i++) {
                    assertThat(writer.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .as("whether the writer has turn " + i)
                            .isTrue();
                    assertThat(redis.server.command("EXISTS", Fixture.key(NAME) + ":rw:readers"))
                            .as("readers beside the writer")
                            .isEqualTo(0L);
                    long token = writer.lease().orElseThrow().fencingToken().orElseThrow();
                    assertThat(token).isGreaterThan(last);
                    last = token;
                    writer.unlock();
                }
                long reads = 0;
                for (ReaderProcess process : processes) {
                    reads += process.stop();
                }
                assertThat(reads).as("reads among " + WRITES + " writes").isGreaterThan(PROCESSES * READERS);
            } finally {
                processes.forEach(ReaderProcess::close);
            }
        }
    }
}
