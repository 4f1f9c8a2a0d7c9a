// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.redlock.Fixture;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that has just started gets 0.3 of a processor, from its first instruction on, and has 64 threads. The
 * servers answer all the time, so the time that requests and answers spend in this process must not make a lock fail.
 */
@Tag("deep")
class ThrottledClientTest {
    private static final Duration WORK = Duration.ofSeconds(8);

    /** How often a case is played in which others took from the client what it was to have. */
    private static final int PLAYS = 4;

    @ParameterizedTest(name = "{0} servers, client={1}, {2} ms of {3} ms")
    @CsvSource({"3, interlock, 30, 100", "5, interlock, 90, 300", "3, lettuce, 30, 100"})
    void atAThirdOfAProcessorNoAcquisitionFails(
            int nodes, String library, long running, long period, TestReporter reporter) throws Exception {
        ThrottledClient.Outcome outcome = play(nodes, library, running, period);
        for (int i = 1; i < PLAYS && outcome.starved() && !outcome.failures().isEmpty(); i++) {
            reporter.publishEntry(Map.of(
                    "interlock.conformance.retries",
                    "1",
                    "interlock.conformance.retries.reasons",
                    "other processes starved the client, and it met " + outcome.failures()));
            outcome = play(nodes, library, running, period);
        }

        assertThat(outcome.pairs()).isPositive();
        assumeThat(outcome.starved() && !outcome.failures().isEmpty())
                .as("a machine that has a third of a processor left for the client")
                .isFalse();
        assertThat(outcome.failures()).isEmpty();
    }

    private static ThrottledClient.Outcome play(int nodes, String library, long running, long period)
            throws InterruptedException {
        try (Fixture redis = new Fixture(nodes)) {
            foundCluster(redis);
            try (ThrottledClient client = ThrottledClient.start(redis.endpoints(), library)) {
                return client.throttle(Duration.ofMillis(running), Duration.ofMillis(period - running), WORK);
            }
        }
    }

    /** Lets all servers vote at once, for clients that would otherwise have to watch them for a minute. */
    private static void foundCluster(Fixture redis) {
        DistributedLockFactory founder = redis.factory(config -> config.commandTimeout(Duration.ofSeconds(20)));
        DistributedLock lock = founder.getLock("founded");
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    redis.growOld(Duration.ofMinutes(2));
                    lock.lock();
                    boolean all = redis.takenOn(lock.name()).size() == redis.servers.size();
                    lock.unlock();
                    return all;
                });
    }
}
