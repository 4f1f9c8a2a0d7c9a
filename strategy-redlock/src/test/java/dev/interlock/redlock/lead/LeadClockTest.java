// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.QueueFixture;
import dev.interlock.redlock.SkewedEnvironment;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.ServerClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that are passed on while the clock of the lead is set: a client notices that by its own clock. */
class LeadClockTest {
    private static final Duration STEP = Duration.ofSeconds(10);
    private static final QueueFixture CLIENTS = new QueueFixture();

    private final SkewedEnvironment clocks = new SkewedEnvironment(Duration.ZERO);

    @AfterAll
    static void stop() {
        CLIENTS.close();
    }

    @Test
    void theLeadPassesNothingOn() {
        QueueFixture.Client a = CLIENTS.client("pass");
        QueueFixture.Client b = CLIENTS.client("pass", clocks);
        Claim owned = CLIENTS.root("pass", a, b);
        Object root = CLIENTS.root("pass");
        Claim next = a.queue("pass", 1);
        clocks.goOn(STEP);
        b.handOver(owned, a);
        a.granted(next);
        assertThat(CLIENTS.root("pass")).as("released, and granted anew").isNotEqualTo(root);
    }

    /** The deadline is an instant on the lead's clock, which comes too late on one that was set back. */
    @Test
    @Tag("deep")
    void aLeadWhoseOwnClockWasSetBackPassesNothingOn() {
        assumeThat(ServerClock.obstacle())
                .as("absent: server-clock: a clock to step")
                .isEmpty();
        try (QueueFixture clients = new QueueFixture()) {
            QueueFixture.Client a = clients.client("back");
            QueueFixture.Client b = clients.client("back");
            Claim owned = clients.root("back", a, b);
            Object root = clients.root("back");
            Claim next = a.queue("back", 1);
            clients.redis.servers.get(QueueFixture.lead("back")).stepClock(STEP.negated());
            b.handOver(owned, a);
            a.granted(next);
            assertThat(clients.root("back")).as("released, and granted anew").isNotEqualTo(root);
        }
    }

    @Test
    void whoeverAsksAfterThatCountsAsBefore() {
        QueueFixture.Client a = CLIENTS.client("ask", clocks);
        QueueFixture.Client b = CLIENTS.client("ask");
        Claim owned = CLIENTS.root("ask", a, b);
        Claim next = a.queue("ask", 1);
        b.handOver(owned, a);
        clocks.goOn(STEP);
        assertThat(a.protocol.attempt(next))
                .isInstanceOfSatisfying(
                        Attempt.Granted.class,
                        granted -> assertThat(granted.validity()).isLessThan(QueueFixture.GRANT.minus(STEP)));
    }

    @Test
    void aDeadlineIsWorthNoMoreThanAGrant() {
        QueueFixture.Client a = CLIENTS.client("far");
        QueueFixture.Client b = CLIENTS.client("far");
        CLIENTS.root("far", a, b);
        Claim next = a.queue("far", 1);
        int lead = QueueFixture.lead("far");
        String[] record = String.valueOf(CLIENTS.redis.servers.get(lead).command("GET", QueueFixture.record("far")))
                .split(" ");
        long inAnHour = CLIENTS.micros(lead) + TimeUnit.HOURS.toMicros(1);
        assertThat(CLIENTS.pass("far", 0, inAnHour, Long.parseLong(record[4]) + 3))
                .isEqualTo(1L);
        assertThat(a.protocol.attempt(next))
                .isInstanceOfSatisfying(
                        Attempt.Granted.class,
                        granted -> assertThat(granted.validity()).isLessThanOrEqualTo(QueueFixture.GRANT));
    }

    @Test
    void aMessageOverAnotherSubscriptionIsAskedAboutSinceAnotherClockMayBeMeant() {
        QueueFixture.Client a = CLIENTS.client("again");
        QueueFixture.Client b = CLIENTS.client("again");
        Claim owned = CLIENTS.knownRoot("again", a, b);
        Claim next = a.queue("again", 1);
        RedisServer lead = CLIENTS.redis.servers.get(QueueFixture.lead("again"));
        String entry = String.valueOf(((List<?>) lead.command("ZRANGE", QueueFixture.queue("again"), "0", "0")).get(0));
        String channel = entry.substring(entry.lastIndexOf(' ') + 1);
        lead.command("CLIENT", "KILL", "TYPE", "pubsub");
        await().atMost(Fixture.PATIENCE).until(() -> ((List<?>) lead.command("PUBSUB", "CHANNELS")).contains(channel));
        try (CommandMonitor monitor = lead.monitor()) {
            b.handOver(owned, a);
            a.granted(next);
            monitor.sync();
            assertThat(monitor.commands()).anyMatch(command -> command.contains(LeadScripts.ASK.sha1()));
        }
    }

    @Test
    void whoeverLeavesPassesNothingOn() {
        QueueFixture.Client a = CLIENTS.client("leave", clocks);
        QueueFixture.Client b = CLIENTS.client("leave");
        QueueFixture.Client c = CLIENTS.client("leave");
        Claim owned = CLIENTS.root("leave", a, b);
        Object root = CLIENTS.root("leave");
        Claim leaving = a.queue("leave", 1);
        Claim next = c.queue("leave", 2);
        b.handOver(owned, a);
        clocks.goOn(STEP);
        a.handOver(leaving, c);
        c.grantedInTheEnd(next);
        assertThat(CLIENTS.root("leave")).as("released, and granted anew").isNotEqualTo(root);
    }
}
