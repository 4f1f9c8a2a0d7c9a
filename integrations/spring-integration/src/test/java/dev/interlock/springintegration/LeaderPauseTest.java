// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A leader whose process stands still for longer than its lease. */
@Tag("deep")
class LeaderPauseTest {
    private static final String ROLE = "paused";

    @Test
    void isToldAtItsNextCallThatItLeadsNoMore() {
        try (RegistryFixture backend = new RegistryFixture();
                LeaderProcess first = new LeaderProcess(backend.server.uri(), ROLE, Duration.ofSeconds(2))) {
            await().atMost(RegistryFixture.PATIENCE).until(() -> first.said.contains(LeaderProcess.GRANTED));
            first.stop();
            try (LeaderCandidate second = new LeaderCandidate(
                    new InterlockLockRegistry(backend.factory(), "orders"), ROLE, Duration.ofMillis(100))) {
                await().atMost(RegistryFixture.PATIENCE).until(second::isLeader);
                int heard = first.said.size();
                first.goOn();
                await().atMost(RegistryFixture.PATIENCE)
                        .until(() -> since(first, heard).contains(LeaderProcess.REVOKED));

                List<String> since = since(first, heard);
                // A beat that was on its way when the process stopped may end as it began.
                List<String> nextBeat = since.subList(
                        since.indexOf(LeaderProcess.BEAT) < 0 ? 0 : since.indexOf(LeaderProcess.BEAT), since.size());
                assertThat(nextBeat).doesNotContain(LeaderProcess.HOLDS);
                assertThat(since).doesNotContain(LeaderProcess.GRANTED);
                assertThat(second.isLeader()).isTrue();
                assertThat(second.revoked).hasValue(0);
            }
        }
    }

    private static List<String> since(LeaderProcess process, int heard) {
        // A view of the list would fail as soon as the process says more.
        List<String> said = List.copyOf(process.said);
        return said.subList(heard, said.size());
    }
}
