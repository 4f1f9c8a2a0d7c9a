// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.QueueFixture;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** How a claim that was refused and has no place in a queue gets one: without a place, no message would wake it. */
class LeadPlaceTest {
    private static final QueueFixture CLIENTS = new QueueFixture();
    private static final Fixture REDIS = CLIENTS.redis;

    @AfterAll
    static void stop() {
        CLIENTS.close();
    }

    @Test
    void whoeverIsGrantedTheLockByTheLeadAloneAsksAgainSoon() {
        QueueFixture.Client a = CLIENTS.client("lead-alone");
        QueueFixture.Client b = CLIENTS.client("lead-alone");
        a.hold("lead-alone");
        Claim second = b.queue("lead-alone", 1);
        REDIS.servers.get(QueueFixture.lead("lead-alone")).command("DEL", Fixture.key("lead-alone"));
        assertThat(b.protocol.attempt(second))
                .isInstanceOfSatisfying(
                        Attempt.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .as("sooner than whoever stands in a queue")
                                .hasValueSatisfying(after -> assertThat(after).isLessThan(Duration.ofMillis(1_400))));
    }

    @Test
    void whoeverIsOvertakenByAMajorityWithoutTheLeadIsToldOfItsRelease() {
        QueueFixture.Client a = CLIENTS.client("overtaken");
        QueueFixture.Client b = CLIENTS.client("overtaken");
        QueueFixture.Client c = CLIENTS.client("overtaken");
        Claim first = a.hold("overtaken");
        Claim second = b.queue("overtaken", 1);
        Claim third = c.queue("overtaken", 2);
        loseAtTheLead("overtaken");
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        assertThat(CLIENTS.queued("overtaken")).isEqualTo(2);
        a.handOver(first, b);
        b.granted(second);
        b.handOver(second, c);
        c.granted(third);
        c.protocol.release(third);
        CLIENTS.awaitNothingLeft("overtaken");
    }

    @Test
    void aReleaseThatComesWhileAWaiterIsOvertakenIsToldToIt() {
        AtomicReference<Runnable> beforeStandingBack = new AtomicReference<>(() -> {});
        AtomicInteger scripts = new AtomicInteger();
        int lead = QueueFixture.lead("meanwhile");
        QueueFixture.Client a = CLIENTS.client("meanwhile");
        QueueFixture.Client b = CLIENTS.client("meanwhile", lead, number -> {
            if (scripts.decrementAndGet() == 0) {
                beforeStandingBack.get().run();
            }
        });
        Claim first = a.hold("meanwhile");
        Claim second = b.queue("meanwhile", 1);
        loseAtTheLead("meanwhile");
        beforeStandingBack.set(() -> a.protocol.release(first));
        // The question to the lead, and what follows the refusals of the others.
        scripts.set(2);
        int before = b.signals();
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        b.awaitSignal(before);
        b.granted(second);
        b.protocol.release(second);
        CLIENTS.awaitNothingLeft("meanwhile");
    }

    @Test
    void whoeverIsOvertakenAfterItsFirstQuestionIsBeforeThoseWhoCameMeanwhile() {
        int lead = QueueFixture.lead("first-question");
        AtomicReference<Claim> third = new AtomicReference<>();
        QueueFixture.Client a = CLIENTS.client("first-question");
        QueueFixture.Client c = CLIENTS.client("first-question");
        QueueFixture.Client b = CLIENTS.client("first-question", lead, number -> {
            // Only what the lead grants to a waiter has a record.
            Object granted = REDIS.servers.get(lead).command("EXISTS", QueueFixture.record("first-question"));
            if (third.get() == null && granted.equals(1L)) {
                third.set(c.queue("first-question", 1));
            }
        });
        Claim first = a.hold("first-question");
        loseAtTheLead("first-question");
        Claim second = b.queue("first-question", 2);
        a.handOver(first, b);
        b.granted(second);
        b.handOver(second, c);
        c.granted(third.get());
        c.protocol.release(third.get());
        CLIENTS.awaitNothingLeft("first-question");
    }

    @Test
    void whoeverWasOvertakenAndGivesUpLeavesNoPlace() {
        QueueFixture.Client a = CLIENTS.client("gone");
        QueueFixture.Client b = CLIENTS.client("gone");
        Claim first = a.hold("gone");
        Claim second = b.queue("gone", 1);
        loseAtTheLead("gone");
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        b.protocol.release(second);
        assertThat(CLIENTS.queued("gone")).isZero();
        a.protocol.release(first);
        CLIENTS.awaitNothingLeft("gone");
    }

    @Test
    void aLockThatWasLostIsReportedThoughSomebodyWaitsForIt() {
        QueueFixture.Client a = CLIENTS.client("lost");
        QueueFixture.Client b = CLIENTS.client("lost");
        Claim first = a.hold("lost");
        b.queue("lost", 1);
        REDIS.servers.forEach(server -> server.command("DEL", Fixture.key("lost")));
        int before = b.signals();
        assertThat(a.protocol.release(first)).isInstanceOf(Release.Lost.class);
        b.awaitSignal(before);
    }

    /** Leaves the holder a majority without the lead. */
    private static void loseAtTheLead(String name) {
        REDIS.servers.get(QueueFixture.lead(name)).command("DEL", Fixture.key(name), QueueFixture.record(name));
    }

    @Test
    void whoeverIsRefusedWhileItsClientListensAlreadyIsToldToAsk() {
        QueueFixture.Client a = CLIENTS.client("listens");
        QueueFixture.Client b = CLIENTS.client("listens");
        a.hold("listens");
        b.queue("listens", 1);
        String other = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "listens-" + i)
                .filter(name -> QueueFixture.lead(name) == QueueFixture.lead("listens"))
                .findFirst()
                .orElseThrow();
        a.hold(other);
        AtomicInteger signals = new AtomicInteger();
        b.protocol.watch(other, signals::incrementAndGet);
        int before = signals.get();
        assertThat(b.protocol.attempt(CLIENTS.newClaim(other))).isInstanceOf(Attempt.Refused.class);
        assertThat(signals.get()).as("no watch is opened a second time").isGreaterThan(before);
    }
}
