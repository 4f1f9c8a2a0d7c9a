// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyProfile;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A rule that can be skipped without asking the backend does not open one. */
class NeedsTest {
    private final AtomicInteger configurations = new AtomicInteger();

    /** A harness that counts how often the kit asks for a backend. */
    private Supplier<LockHarness> counting(WrongLock lock, boolean faults) {
        LockHarness harness = new MemoryHarness(lock);
        return () -> new LockHarness() {
            @Override
            public LockStrategyProvider provider() {
                return harness.provider();
            }

            @Override
            public LockConfig config() {
                configurations.incrementAndGet();
                return harness.config();
            }

            @Override
            public Optional<FaultInjector> faults() {
                return faults ? harness.faults() : Optional.empty();
            }
        };
    }

    private static WrongLock without(Capability capability) {
        return new WrongLock("correct") {
            @Override
            protected StrategyProfile profile() {
                return super.profile().without(capability);
            }
        };
    }

    private void assertSkippedWithoutABackend(Supplier<LockHarness> harness, String rule) {
        Map<String, String> failures = KitRun.failures(harness, 1, Set.of(rule));
        assertThat(failures).isEmpty();
        assertThat(configurations)
                .as("how often rule " + rule + " asked for a backend")
                .hasValue(0);
    }

    @Test
    void aCapabilityThatTheProviderLacks() {
        assertSkippedWithoutABackend(counting(without(Capability.REENTRANT), true), "3.1");
    }

    @Test
    void aFaultThatTheHarnessCannotCause() {
        assertSkippedWithoutABackend(counting(new WrongLock("correct"), false), "9.26");
    }

    @Test
    void otherProcessesThatCannotReachTheBackend() {
        assertSkippedWithoutABackend(counting(new WrongLock("correct"), true), "12.1");
    }

    @Test
    void aRuleThatRunsAsksForABackend() {
        assertThat(KitRun.failures(counting(new WrongLock("correct"), true), 1, Set.of("3.1")))
                .isEmpty();
        assertThat(configurations).hasPositiveValue();
    }
}
