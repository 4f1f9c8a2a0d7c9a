// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.testservers.CommandMonitor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a lock goes from one client to the next, over the node where they wait. */
class LeadQueueTest {
    private final QueueFixture clients = new QueueFixture();
    private final Fixture redis = clients.redis;

    @AfterEach
    void stop() {
        clients.close();
    }

    @Test
    void thoseWhoWaitAreServedInTheOrderOfTheirArrivalWithGrowingTokens() {
        List<QueueFixture.Client> waiting = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        QueueFixture.Client first = clients.client("order");
        Claim held = first.hold("order");
        for (int i = 0; i < 3; i++) {
            waiting.add(clients.client("order"));
            claims.add(waiting.get(i).queue("order", i + 1));
        }
        QueueFixture.Client holder = first;
        long fence = 0;
        for (int i = 0; i < 3; i++) {
            holder.handOver(held, waiting.get(i));
            if (i < 2) {
                assertThat(waiting.get(i + 1).protocol.attempt(claims.get(i + 1)))
                        .isInstanceOf(Attempt.Refused.class);
            }
            holder = waiting.get(i);
            held = claims.get(i);
            long next = holder.granted(held);
            assertThat(next).isGreaterThan(fence);
            fence = next;
        }
        holder.protocol.release(held);
        clients.awaitNothingLeft("order");
    }

    @Test
    void aHandOverToWhoKnowsTheRootIsTwoCommandsAndChangesNoKey() {
        QueueFixture.Client a = clients.client("chain");
        QueueFixture.Client b = clients.client("chain");
        Claim first = a.hold("chain");
        Claim second = b.queue("chain", 1);
        a.handOver(first, b);
        b.granted(second);
        Object root = clients.token(0, "chain");
        Claim third = a.queue("chain", 1);
        b.handOver(second, a);
        a.granted(third);
        Claim fourth = b.queue("chain", 1);
        List<CommandMonitor> monitors =
                redis.servers.stream().map(server -> server.monitor()).toList();
        a.handOver(third, b);
        b.granted(fourth);
        Claim fifth = a.queue("chain", 1);
        List<List<String>> commands = new ArrayList<>();
        for (CommandMonitor monitor : monitors) {
            monitor.sync();
            commands.addAll(monitor.commands().stream()
                    .filter(command -> command.get(0).equals("EVALSHA") && command.contains(Fixture.key("chain")))
                    .toList());
            monitor.close();
        }
        assertThat(commands).hasSize(2);
        for (int i = 0; i < 3; i++) {
            assertThat(clients.token(i, "chain")).isEqualTo(root);
        }
        a.protocol.release(fifth);
        b.protocol.release(fourth);
        redis.awaitTakenOn("chain");
    }

    @Test
    void anOwnerWhosePassHasNoKnownOutcomeDeletesNothing() {
        QueueFixture.Client a = clients.client("unknown");
        QueueFixture.Client b = clients.client("unknown");
        Claim first = a.hold("unknown");
        Claim second = b.queue("unknown", 1);
        int lead = QueueFixture.lead("unknown");
        a.handOver(first, b);
        b.granted(second);
        Claim third = a.queue("unknown", 1);
        redis.proxies.get(lead).loseNextReply();
        b.protocol.release(second);
        b.protocol.release(second);
        redis.awaitTakenOn("unknown", 0, 1, 2);
        await().atMost(Fixture.PATIENCE).until(() -> a.protocol.attempt(third) instanceof Attempt.Granted);
        redis.awaitTakenOn("unknown", 0, 1, 2);
        a.protocol.release(third);
        redis.awaitTakenOn("unknown");
    }

    @Test
    void aRootThatNobodyWaitsForIsReleased() {
        QueueFixture.Client a = clients.client("last");
        QueueFixture.Client b = clients.client("last");
        Claim first = a.hold("last");
        Claim second = b.queue("last", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.release(second)).isInstanceOf(Release.Freed.class);
        redis.awaitTakenOn("last");
    }

    @Test
    void whoGivesUpPassesOnWhatItWasPassedMeanwhile() {
        QueueFixture.Client a = clients.client("given-up");
        QueueFixture.Client b = clients.client("given-up");
        QueueFixture.Client c = clients.client("given-up");
        Claim first = a.hold("given-up");
        Claim second = b.queue("given-up", 1);
        a.handOver(first, b);
        long fence = b.granted(second);
        Claim third = c.queue("given-up", 1);
        Claim fourth = a.queue("given-up", 2);
        b.handOver(second, c);
        c.handOver(third, a);
        assertThat(a.granted(fourth)).isGreaterThan(fence);
        Claim fifth = b.queue("given-up", 1);
        a.handOver(fourth, b);
        b.protocol.release(fifth);
        redis.awaitTakenOn("given-up");
    }

    @Test
    void whoWaitsHasAnotherTokenThanInItsRound() {
        QueueFixture.Client a = clients.client("tokens");
        QueueFixture.Client b = clients.client("tokens");
        a.hold("tokens");
        Claim second = b.queue("tokens", 1);
        List<?> waiting = (List<?>) redis.servers
                .get(QueueFixture.lead("tokens"))
                .command("ZRANGE", QueueFixture.queue("tokens"), "0", "-1");
        assertThat(String.valueOf(waiting.get(0)).split(" ")[1])
                .startsWith(second.token())
                .isNotEqualTo(second.token());
    }

    @Test
    void aHolderWhoseKeyHasExpiredAtTheLeadIsNoPredecessor() {
        QueueFixture.Client a = clients.client("expired");
        QueueFixture.Client b = clients.client("expired");
        Claim first = a.hold("expired");
        Claim second = b.queue("expired", 1);
        int lead = QueueFixture.lead("expired");
        redis.servers.get(lead).command("DEL", Fixture.key("expired"));
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        for (int i = 0; i < 3; i++) {
            if (i != lead) {
                assertThat(clients.token(i, "expired")).isEqualTo(first.token());
            }
        }
    }

    @Test
    void aLockThatIsFreeAtTheLeadGoesToWhoeverWaitsThere() {
        QueueFixture.Client a = clients.client("free");
        QueueFixture.Client b = clients.client("free");
        a.hold("free");
        Claim second = b.queue("free", 1);
        int lead = QueueFixture.lead("free");
        redis.servers.get(lead).command("DEL", Fixture.key("free"));
        clients.client("free").protocol.attempt(clients.newClaim("free"));
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(clients.token(lead, "free")).startsWith(second.token()));
    }

    @Test
    void whoeverHasNotHeardTheMessageAsks() {
        QueueFixture.Client a = clients.client("unheard");
        QueueFixture.Client b = clients.client("unheard");
        Claim first = a.hold("unheard");
        Claim second = b.queue("unheard", 1);
        redis.servers.get(QueueFixture.lead("unheard")).command("CLIENT", "KILL", "TYPE", "pubsub");
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        b.protocol.release(second);
        redis.awaitTakenOn("unheard");
    }

    @Test
    void whoWaitsAtALeadThatIsGoneGoesToTheNext() {
        QueueFixture.Client a = clients.client("dead-lead");
        QueueFixture.Client b = clients.client("dead-lead");
        Claim first = a.hold("dead-lead");
        Claim second = b.queue("dead-lead", 1);
        int lead = QueueFixture.lead("dead-lead");
        redis.proxies.get(lead).refuse();
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        redis.proxies.get(lead).accept();
        b.protocol.release(second);
        redis.awaitTakenOn("dead-lead");
    }

    @Test
    void aRootIsRenewedUnderItsOwnToken() {
        QueueFixture.Client a = clients.client("renewed");
        QueueFixture.Client b = clients.client("renewed");
        Claim first = a.hold("renewed");
        Claim second = b.queue("renewed", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.renew(List.of(second)).get(0)).isInstanceOf(Renewal.Renewed.class);
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                        .allMatch(server -> (Long) server.command("PTTL", Fixture.key("renewed")) > 90_000));
        // What has a long lease is not passed on, but released and granted.
        Object root = clients.token(0, "renewed");
        Claim third = a.queue("renewed", 1);
        b.handOver(second, a);
        a.granted(third);
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.takenOn("renewed").size() == 3 && !root.equals(clients.token(0, "renewed")));
    }

    @Test
    void aRootIsPassedOnOnceForEachHopAndOnlyBeforeTheDeadline() {
        QueueFixture.Client a = clients.client("hops");
        QueueFixture.Client b = clients.client("hops");
        QueueFixture.Client c = clients.client("hops");
        Claim first = a.hold("hops");
        Claim second = b.queue("hops", 1);
        int lead = QueueFixture.lead("hops");
        a.handOver(first, b);
        long fence = b.granted(second) + 3;
        c.queue("hops", 1);
        a.queue("hops", 2);
        assertThat(clients.pass("hops", 1, Long.MAX_VALUE / 1024, fence))
                .as("another hop")
                .isEqualTo(0L);
        assertThat(clients.pass("hops", 0, clients.micros(lead), fence))
                .as("too late")
                .isEqualTo(0L);
        assertThat(clients.queued("hops")).isEqualTo(2);
        assertThat(clients.pass("hops", 0, clients.micros(lead) + 1_000_000_000, fence))
                .isEqualTo(1L);
        assertThat(clients.pass("hops", 0, clients.micros(lead) + 1_000_000_000, fence))
                .as("once more")
                .isEqualTo(1L);
        assertThat(clients.queued("hops")).isEqualTo(1);
    }

    @Test
    void theDeadlineIsNotThatOfAKeyWhichOnlyTheLeadHasRenewed() {
        QueueFixture.Client a = clients.client("deadline");
        QueueFixture.Client b = clients.client("deadline");
        Claim first = a.hold("deadline");
        Claim second = b.queue("deadline", 1);
        int lead = QueueFixture.lead("deadline");
        a.handOver(first, b);
        b.granted(second);
        long granted = clients.micros(lead);
        redis.servers.get(lead).command("PEXPIRE", Fixture.key("deadline"), "600000");
        redis.servers.get(lead).command("PEXPIRE", QueueFixture.record("deadline"), "600000");
        a.queue("deadline", 1);
        b.handOver(second, a);
        String[] record = String.valueOf(redis.servers.get(lead).command("GET", QueueFixture.record("deadline")))
                .split(" ");
        assertThat(record[1]).isEqualTo("1");
        assertThat(Long.parseLong(record[3])).isBetween(1L, granted + QueueFixture.GRANT.toMillis() * 1_000);
    }
}
