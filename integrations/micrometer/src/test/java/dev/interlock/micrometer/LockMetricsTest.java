// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LossCause;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The values of the meters after the events of locks. */
class LockMetricsTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LockMetrics metrics =
            LockMetrics.builder().group(LockGroups.before(":")).build();
    private final Events events = new Events(metrics);

    private static RequiredSearch find(MeterRegistry registry, String name, String group, String... tags) {
        return registry.get(name)
                .tags("strategy", Events.STRATEGY, "group", group)
                .tags(tags);
    }

    private double count(String name, String group, String... tags) {
        return find(registry, name, group, tags).counter().count();
    }

    private double gauge(String name, String group) {
        return find(registry, name, group).gauge().value();
    }

    private double seconds(String name, String group, String... tags) {
        return find(registry, name, group, tags).timer().totalTime(TimeUnit.SECONDS);
    }

    @Test
    void eachEventShowsInItsMeters() {
        metrics.bindTo(registry);
        events.requested("invoice:1");
        events.requested("invoice:2");
        events.acquired("invoice:1", Duration.ofSeconds(2), 3, false);
        events.acquired("invoice:2", Duration.ofSeconds(5), 0, true);
        events.released("invoice:1", Duration.ofSeconds(7));
        events.lost("invoice:2", LossCause.GONE, Duration.ofSeconds(11));
        events.renewed("invoice:2", Duration.ofSeconds(13));
        events.renewalFailed("invoice:2");
        events.outageBegan("invoice:3");
        events.outageEnded("invoice:3", Duration.ofSeconds(17));

        assertThat(count("interlock.lock.requests", "invoice")).isEqualTo(2);
        assertThat(count("interlock.lock.attempts", "invoice")).isEqualTo(3);
        assertThat(seconds("interlock.lock.wait", "invoice", "local", "false")).isEqualTo(2);
        assertThat(seconds("interlock.lock.wait", "invoice", "local", "true")).isEqualTo(5);
        assertThat(seconds("interlock.lock.hold", "invoice", "outcome", "released"))
                .isEqualTo(7);
        assertThat(seconds("interlock.lock.hold", "invoice", "outcome", "lost")).isEqualTo(11);
        assertThat(count("interlock.lock.losses", "invoice", "cause", "gone")).isEqualTo(1);
        assertThat(count("interlock.lock.losses", "invoice", "cause", "expired"))
                .as("registered before it happens")
                .isZero();
        assertThat(seconds("interlock.lease.renewals", "invoice")).isEqualTo(13);
        assertThat(count("interlock.lease.renewal.failures", "invoice")).isEqualTo(1);
        assertThat(seconds("interlock.backend.outages", "invoice")).isEqualTo(17);
    }

    @Test
    void heldIsWhatWasAcquiredLessWhatWasReleasedAndLost() {
        metrics.bindTo(registry);
        events.acquired("invoice:1");
        events.acquired("invoice:2");
        events.acquired("order:1");
        assertThat(gauge("interlock.lock.held", "invoice")).isEqualTo(2);
        assertThat(gauge("interlock.lock.held", "order")).isEqualTo(1);
        events.released("invoice:1");
        events.lost("order:1", LossCause.EXPIRED, Duration.ZERO);
        assertThat(gauge("interlock.lock.held", "invoice")).isEqualTo(1);
        assertThat(gauge("interlock.lock.held", "order")).isZero();
    }

    @Test
    void aHandOverThatIsToldBeforeTheReleaseCountsOnce() {
        metrics.bindTo(registry);
        events.acquired("invoice:1");
        events.acquired("invoice:1", Duration.ZERO, 0, true);
        events.released("invoice:1");
        assertThat(gauge("interlock.lock.held", "invoice")).isEqualTo(1);
    }

    @Test
    void waitingIsTheSumOfAllQueues() {
        metrics.bindTo(registry);
        events.queueChanged("invoice:1", 3);
        events.queueChanged("invoice:2", 1);
        events.queueChanged("invoice:1", 2);
        assertThat(gauge("interlock.lock.waiting", "invoice")).isEqualTo(3);
        events.queueChanged("invoice:1", 0);
        events.queueChanged("invoice:2", 0);
        assertThat(gauge("interlock.lock.waiting", "invoice")).isZero();
    }

    @Test
    void anOutageIsActiveUntilItEnds() {
        metrics.bindTo(registry);
        events.outageBegan("invoice:1");
        assertThat(gauge("interlock.backend.outages.active", "invoice")).isEqualTo(1);
        events.outageEnded("invoice:1", Duration.ofSeconds(1));
        assertThat(gauge("interlock.backend.outages.active", "invoice")).isZero();
    }

    @Test
    void missingEventsAreCountedAndSpoilNoGaugeForGood() {
        metrics.bindTo(registry);
        events.acquired("invoice:1");
        events.acquired("invoice:2");
        events.queueChanged("invoice:3", 4);
        events.outageBegan("invoice:3");
        events.dropped(42);
        assertThat(registry.get("interlock.events.dropped").counter().count()).isEqualTo(42);
        assertThat(gauge("interlock.lock.held", "invoice")).isZero();
        assertThat(gauge("interlock.lock.waiting", "invoice")).isZero();
        assertThat(gauge("interlock.backend.outages.active", "invoice")).isZero();
        events.acquired("invoice:4");
        events.released("invoice:1");
        assertThat(gauge("interlock.lock.held", "invoice"))
                .as("what was held before is not counted when it is released")
                .isEqualTo(1);
    }

    @Test
    void withoutAFunctionAllLocksAreOneGroup() {
        LockMetrics plain = LockMetrics.builder().build();
        plain.bindTo(registry);
        new Events(plain).acquired("invoice:1");
        new Events(plain).acquired("order:1");
        assertThat(gauge("interlock.lock.held", "all")).isEqualTo(2);
    }

    @Test
    void aFunctionWithTooManyResultsMakesAHundredGroupsAndTheRest() {
        LockMetrics byName = LockMetrics.builder().group(name -> name).build();
        byName.bindTo(registry);
        for (int i = 0; i < 150; i++) {
            new Events(byName).acquired("invoice:" + i);
        }
        assertThat(registry.find("interlock.lock.held").gauges()).hasSize(Grouping.MAX_GROUPS + 1);
        assertThat(gauge("interlock.lock.held", "other")).isEqualTo(50);
        assertThat(gauge("interlock.lock.held", "invoice:0")).isEqualTo(1);
    }

    @Test
    void aFunctionThatFailsOrHasNoAnswerPutsTheLockIntoTheRest() {
        LockMetrics failing = LockMetrics.builder()
                .group(name -> name.substring(0, name.indexOf(':')))
                .build();
        failing.bindTo(registry);
        new Events(failing).acquired("nightly");
        assertThat(gauge("interlock.lock.held", "other")).isEqualTo(1);
        assertThat(LockGroups.before(":").apply("nightly")).isEqualTo("other");
        assertThat(LockGroups.before(":").apply(":nightly")).isEqualTo("other");
        assertThat(LockGroups.before("::").apply("a:b::c")).isEqualTo("a:b");
    }

    @Test
    void tagsOfTheBuilderTellFactoriesApart() {
        LockMetrics one = LockMetrics.builder().tags(Tags.of("factory", "one")).build();
        LockMetrics other =
                LockMetrics.builder().tags(Tags.of("factory", "other")).build();
        one.bindTo(registry);
        other.bindTo(registry);
        new Events(one).acquired("invoice:1");
        new Events(other).acquired("invoice:1");
        new Events(other).acquired("invoice:2");
        assertThat(find(registry, "interlock.lock.held", "all", "factory", "one")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(find(registry, "interlock.lock.held", "all", "factory", "other")
                        .gauge()
                        .value())
                .isEqualTo(2);
        one.close();
        assertThat(registry.find("interlock.lock.held").gauges()).hasSize(1);
        assertThat(registry.find("interlock.events.dropped").counters()).hasSize(1);
    }

    @Test
    void aRegistryThatIsBoundLaterSeesWhatIsHeldNow() {
        events.acquired("invoice:1");
        metrics.bindTo(registry);
        metrics.bindTo(registry);
        MeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(second);
        events.acquired("invoice:2");
        assertThat(gauge("interlock.lock.held", "invoice")).isEqualTo(2);
        assertThat(count("interlock.lock.attempts", "invoice"))
                .as("not counted twice where it is bound twice")
                .isEqualTo(1);
        assertThat(find(second, "interlock.lock.held", "invoice").gauge().value())
                .isEqualTo(2);
    }

    @Test
    void closingLeavesNoMeterBehindAndLaterEventsBringNoneBack() {
        MeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(registry);
        metrics.bindTo(second);
        events.acquired("invoice:1");
        events.acquired("order:1");
        events.dropped(1);
        registry.counter("application.own").increment();
        metrics.close();
        events.released("invoice:1");
        events.dropped(1);
        metrics.bindTo(second);
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("application.own");
        assertThat(second.getMeters()).isEmpty();
        metrics.close();
    }
}
