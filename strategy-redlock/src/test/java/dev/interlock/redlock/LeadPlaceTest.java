// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
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
