// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What a lock that is passed on is worth after the clock of the lead was set back, as a client sees that whose own goes on. */
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
