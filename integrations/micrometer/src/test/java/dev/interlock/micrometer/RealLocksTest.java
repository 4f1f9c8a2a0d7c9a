// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The meters of a factory on a real server. */
class RealLocksTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private void awaitGauge(String name, double value) {
        await().atMost(MicrometerFixture.PATIENCE)
                .until(() -> registry.find(name).gauge() != null && gauge(name) == value);
    }

    private void awaitLosses(String cause, double count) {
        await().atMost(MicrometerFixture.PATIENCE)
                .until(() -> registry.get("interlock.lock.losses")
                                .tags("cause", cause)
                                .counter()
                                .count()
                        == count);
    }

    @Test
    void tellWhatItsLocksDoAndNothingIsLeftOfThemWhenBothAreClosed() throws Exception {
        LockMetrics metrics = LockMetrics.builder().build();
        metrics.bindTo(registry);
        try (MicrometerFixture backend = new MicrometerFixture()) {
            DistributedLockFactory factory = backend.factory(config -> config.listener(metrics));
            DistributedLock lock = factory.getLock("invoice:42");
            lock.lock();
            FutureTask<Boolean> waiting = MicrometerFixture.start(() -> {
                lock.lock();
                lock.unlock();
                return true;
            });
            awaitGauge("interlock.lock.held", 1);
            awaitGauge("interlock.lock.waiting", 1);
            lock.unlock();
            assertThat(waiting.get(MicrometerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            awaitGauge("interlock.lock.held", 0);
            awaitGauge("interlock.lock.waiting", 0);
            await().atMost(MicrometerFixture.PATIENCE)
                    .until(() -> registry.get("interlock.lock.hold")
                                    .tags("outcome", "released")
                                    .timer()
                                    .count()
                            == 2);
            assertThat(registry.get("interlock.lock.requests").counter().count())
                    .isEqualTo(2);

            lock.lock();
            Lease lease = lock.lease().orElseThrow();
            backend.forget("invoice:42");
            assertThatThrownBy(() -> lease.ensureValid(lease.remaining().plusMillis(1)))
                    .isInstanceOf(LeaseLostException.class);
            awaitLosses("gone", 1);
            awaitGauge("interlock.lock.held", 0);

            factory.getLock("invoice:43").lock();
            awaitGauge("interlock.lock.held", 1);
            factory.close();
            awaitLosses("factory_closed", 1);
            awaitGauge("interlock.lock.held", 0);
        }
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }
}
