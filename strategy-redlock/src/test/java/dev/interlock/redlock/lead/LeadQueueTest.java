// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.QueueFixture;
import dev.interlock.testservers.CommandMonitor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** How a lock passes from one client to the next through the lead. */
class LeadQueueTest {
    private static final QueueFixture CLIENTS = new QueueFixture();
    private static final Fixture REDIS = CLIENTS.redis;

    @AfterAll
    static void stop() {
        CLIENTS.close();
    }

    @Test
    void thoseWhoWaitAreServedInTheOrderOfTheirArrivalWithGrowingTokens() {
        List<QueueFixture.Client> waiting = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        QueueFixture.Client first = CLIENTS.client("order");
        Claim held = first.hold("order");
        for (int i = 0; i < 3; i++) {
            waiting.add(CLIENTS.client("order"));
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
        CLIENTS.awaitNothingLeft("order");
    }

    @Test
    void aHandOverToWhoKnowsTheRootIsTwoCommandsAndChangesNoKey() {
        QueueFixture.Client a = CLIENTS.client("chain");
        QueueFixture.Client b = CLIENTS.client("chain");
        Claim first = a.hold("chain");
        Claim second = b.queue("chain", 1);
        a.handOver(first, b);
        b.granted(second);
        Object root = CLIENTS.root("chain");
        Claim third = a.queue("chain", 1);
        b.handOver(second, a);
        a.granted(third);
        Claim fourth = b.queue("chain", 1);
        List<CommandMonitor> monitors =
                REDIS.servers.stream().map(server -> server.monitor()).toList();
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
        assertThat(CLIENTS.root("chain")).isEqualTo(root);
        assertThat(CLIENTS.isRoot("chain", root)).isTrue();
        a.protocol.release(fifth);
        b.protocol.release(fourth);
        REDIS.awaitTakenOn("chain");
    }

    @Test
    void anOwnerWhosePassHasNoKnownOutcomeDeletesNothing() {
        QueueFixture.Client a = CLIENTS.client("unknown");
        QueueFixture.Client b = CLIENTS.client("unknown");
        Claim first = a.hold("unknown");
        Claim second = b.queue("unknown", 1);
        int lead = QueueFixture.lead("unknown");
        a.handOver(first, b);
        b.granted(second);
        Claim third = a.queue("unknown", 1);
        REDIS.proxies.get(lead).loseNextReply();
        b.protocol.release(second);
        b.protocol.release(second);
        assertThat(CLIENTS.isRoot("unknown", CLIENTS.root("unknown"))).isTrue();
        await().atMost(Fixture.PATIENCE).until(() -> a.protocol.attempt(third) instanceof Attempt.Granted);
        assertThat(CLIENTS.isRoot("unknown", CLIENTS.root("unknown"))).isTrue();
        a.protocol.release(third);
        REDIS.awaitTakenOn("unknown");
    }

    @Test
    void aRootThatNobodyWaitsForIsReleased() {
        QueueFixture.Client a = CLIENTS.client("last");
        QueueFixture.Client b = CLIENTS.client("last");
        Claim first = a.hold("last");
        Claim second = b.queue("last", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.release(second)).isInstanceOf(Release.Freed.class);
        REDIS.awaitTakenOn("last");
    }

    @Test
    void whoGivesUpPassesOnWhatItWasPassedMeanwhile() {
        QueueFixture.Client a = CLIENTS.client("given-up");
        QueueFixture.Client b = CLIENTS.client("given-up");
        QueueFixture.Client c = CLIENTS.client("given-up");
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
        REDIS.awaitTakenOn("given-up");
    }

    @Test
    void whoWaitsHasAnotherTokenThanInItsRound() {
        QueueFixture.Client a = CLIENTS.client("tokens");
        QueueFixture.Client b = CLIENTS.client("tokens");
        a.hold("tokens");
        Claim second = b.queue("tokens", 1);
        List<?> waiting = (List<?>) REDIS.servers
                .get(QueueFixture.lead("tokens"))
                .command("ZRANGE", QueueFixture.queue("tokens"), "0", "-1");
        assertThat(String.valueOf(waiting.get(0)).split(" ")[1])
                .startsWith(second.token())
                .isNotEqualTo(second.token());
    }

    @Test
    void aHolderWhoseKeyHasExpiredAtTheLeadIsNoPredecessor() {
        QueueFixture.Client a = CLIENTS.client("expired");
        QueueFixture.Client b = CLIENTS.client("expired");
        Claim first = a.hold("expired");
        Claim second = b.queue("expired", 1);
        int lead = QueueFixture.lead("expired");
        REDIS.servers.get(lead).command("DEL", Fixture.key("expired"));
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        for (int i = 0; i < 3; i++) {
            if (i != lead) {
                assertThat(CLIENTS.token(i, "expired")).isEqualTo(first.token());
            }
        }
    }

    @Test
    void aLockThatIsFreeAtTheLeadGoesToWhoeverWaitsThere() {
        QueueFixture.Client a = CLIENTS.client("free");
        QueueFixture.Client b = CLIENTS.client("free");
        a.hold("free");
        Claim second = b.queue("free", 1);
        int lead = QueueFixture.lead("free");
        REDIS.servers.get(lead).command("DEL", Fixture.key("free"));
        CLIENTS.client("free").protocol.attempt(CLIENTS.newClaim("free"));
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(CLIENTS.token(lead, "free")).startsWith(second.token()));
    }

    @Test
    void whoeverHasNotHeardTheMessageAsks() {
        QueueFixture.Client a = CLIENTS.client("unheard");
        QueueFixture.Client b = CLIENTS.client("unheard");
        Claim first = a.hold("unheard");
        Claim second = b.queue("unheard", 1);
        REDIS.servers.get(QueueFixture.lead("unheard")).command("CLIENT", "KILL", "TYPE", "pubsub");
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        b.protocol.release(second);
        REDIS.awaitTakenOn("unheard");
    }

    @Test
    void whoWaitsAtALeadThatIsGoneGoesToTheNext() {
        QueueFixture.Client a = CLIENTS.client("dead-lead");
        QueueFixture.Client b = CLIENTS.client("dead-lead");
        Claim first = a.hold("dead-lead");
        Claim second = b.queue("dead-lead", 1);
        int lead = QueueFixture.lead("dead-lead");
        REDIS.proxies.get(lead).refuse();
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        REDIS.proxies.get(lead).accept();
        b.protocol.release(second);
        REDIS.awaitTakenOn("dead-lead");
    }

    @Test
    void aRootIsRenewedUnderItsOwnToken() {
        QueueFixture.Client a = CLIENTS.client("renewed");
        QueueFixture.Client b = CLIENTS.client("renewed");
        Claim first = a.hold("renewed");
        Claim second = b.queue("renewed", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.renew(List.of(second)).get(0)).isInstanceOf(Renewal.Renewed.class);
        await().atMost(Fixture.PATIENCE)
                .until(() -> REDIS.servers.stream()
                                .filter(server -> (Long) server.command("PTTL", Fixture.key("renewed")) > 90_000)
                                .count()
                        >= 2);
        // A lock with a long lease is not passed on, but released and granted anew.
        Object root = CLIENTS.root("renewed");
        Claim third = a.queue("renewed", 1);
        b.handOver(second, a);
        a.granted(third);
        assertThat(CLIENTS.root("renewed")).isNotEqualTo(root);
    }

    @Test
    void aRootIsPassedOnOnceForEachHopAndOnlyBeforeTheDeadline() {
        QueueFixture.Client a = CLIENTS.client("hops");
        QueueFixture.Client b = CLIENTS.client("hops");
        QueueFixture.Client c = CLIENTS.client("hops");
        Claim first = a.hold("hops");
        Claim second = b.queue("hops", 1);
        int lead = QueueFixture.lead("hops");
        a.handOver(first, b);
        long fence = b.granted(second) + 3;
        c.queue("hops", 1);
        a.queue("hops", 2);
        assertThat(CLIENTS.pass("hops", 1, Long.MAX_VALUE / 1024, fence))
                .as("another hop")
                .isEqualTo(0L);
        assertThat(CLIENTS.pass("hops", 0, CLIENTS.micros(lead), fence))
                .as("too late")
                .isEqualTo(0L);
        long last = Long.parseLong(String.valueOf(REDIS.servers.get(lead).command("GET", QueueFixture.record("hops")))
                .split(" ")[5]);
        assertThat(CLIENTS.pass("hops", 0, CLIENTS.micros(lead) + 1_000_000_000, last - 1))
                .as("two fencing tokens are left, and the next wants three")
                .isEqualTo(0L);
        assertThat(CLIENTS.queued("hops")).isEqualTo(2);
        assertThat(CLIENTS.pass("hops", 0, CLIENTS.micros(lead) + 1_000_000_000, fence))
                .isEqualTo(1L);
        assertThat(CLIENTS.pass("hops", 0, CLIENTS.micros(lead) + 1_000_000_000, fence))
                .as("once more")
                .isEqualTo(1L);
        assertThat(CLIENTS.queued("hops")).isEqualTo(1);
    }

    @Test
    void theDeadlineIsNotThatOfAKeyWhichOnlyTheLeadHasRenewed() {
        QueueFixture.Client a = CLIENTS.client("deadline");
        QueueFixture.Client b = CLIENTS.client("deadline");
        Claim first = a.hold("deadline");
        Claim second = b.queue("deadline", 1);
        int lead = QueueFixture.lead("deadline");
        a.handOver(first, b);
        b.granted(second);
        long granted = CLIENTS.micros(lead);
        REDIS.servers.get(lead).command("PEXPIRE", Fixture.key("deadline"), "600000");
        REDIS.servers.get(lead).command("PEXPIRE", QueueFixture.record("deadline"), "600000");
        a.queue("deadline", 1);
        b.handOver(second, a);
        String[] record = String.valueOf(REDIS.servers.get(lead).command("GET", QueueFixture.record("deadline")))
                .split(" ");
        assertThat(record[1]).isEqualTo("1");
        assertThat(Long.parseLong(record[3])).isBetween(1L, granted + QueueFixture.GRANT.toMillis() * 1_000);
    }
}
