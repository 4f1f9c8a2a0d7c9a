// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.redlock.NodeReport.Vote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SplitVoteTest {
    private final Fixture redis = new Fixture(3);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void threeClientsWithOneVoteEachDoNotBlockEachOther() throws Exception {
        CountDownLatch votes = new CountDownLatch(3);
        CountDownLatch refusals = new CountDownLatch(6);
        List<LeaseProtocol> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int client = i;
            clients.add(redis.protocol(
                    Fixture::trusting,
                    Environment.system(),
                    (index, node) -> new GatedNode(node, new OwnServerFirst(index == client, votes, refusals)),
                    reports));
        }

        List<FutureTask<Attempt>> attempts = new ArrayList<>();
        for (LeaseProtocol client : clients) {
            // Longer than the test waits, so that votes are given back and do not just end.
            attempts.add(Fixture.start(() -> client.attempt(Fixture.claim("split", Duration.ofMinutes(5)))));
        }
        for (FutureTask<Attempt> attempt : attempts) {
            Attempt outcome = attempt.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Attempt.Refused.class,
                            refused -> assertThat(refused.retryAfter())
                                    .as("a moment that is not the end of anybody's lease")
                                    .hasValueSatisfying(
                                            after -> assertThat(after).isLessThan(Duration.ofSeconds(1))));
        }

        assertThat(reports)
                .hasSize(3)
                .allSatisfy(report -> assertThat(report.nodes())
                        .filteredOn(node -> node.vote() == Vote.GRANTED)
                        .hasSize(1));
        redis.awaitTakenOn("split");
        Set<LeaseProtocol> served = new HashSet<>();
        for (LeaseProtocol client : clients) {
            Claim claim = Fixture.claim("split");
            assertThat(client.attempt(claim)).isInstanceOf(Attempt.Granted.class);
            client.release(claim);
            redis.awaitTakenOn("split");
            served.add(client);
        }
        assertThat(served).hasSize(3);
    }

    /**
     * Lets each client's request reach its own server before it reaches any other, and lets all be answered before any
     * is undone.
     */
    private record OwnServerFirst(boolean own, CountDownLatch votes, CountDownLatch refusals)
            implements GatedNode.Gate {
        @Override
        public void beforeScript(int number) throws InterruptedException {
            if (number > 0) {
                refusals.await();
            } else if (!own) {
                votes.await();
            }
        }

        @Override
        public void afterReply(int number) {
            if (number == 0) {
                (own ? votes : refusals).countDown();
            }
        }
    }

    @Test
    void aHolderWithAMajorityIsWaitedForAndOneWithoutIsNot() {
        LeaseProtocol client = redis.protocol(Fixture::trusting, Environment.system(), (index, node) -> node, reports);
        for (int i = 0; i < 3; i++) {
            redis.servers.get(i).command("SET", Fixture.key("whole"), "one", "PX", "50000");
            redis.servers.get(i).command("SET", Fixture.key("parts"), "one-" + i, "PX", "50000");
        }
        assertThat(client.attempt(Fixture.claim("whole")))
                .isInstanceOfSatisfying(
                        Attempt.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .hasValueSatisfying(after ->
                                        assertThat(after).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(50))));
        assertThat(client.attempt(Fixture.claim("parts")))
                .isInstanceOfSatisfying(
                        Attempt.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .hasValueSatisfying(after -> assertThat(after).isLessThan(Duration.ofSeconds(1))));
    }
}
