// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;

/** The strategy {@code set-nx-px} with observed locks. */
public final class ObservedStrategyProvider implements LockStrategyProvider {
    private final LockStrategyProvider provider = new SetNxPxStrategyProvider();

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public StrategyProfile profile() {
        return provider.profile();
    }

    @Override
    public List<StrategyOption> options() {
        return provider.options();
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(new SimpleMeterRegistry()));
        return ObservedLocks.builder(registry).build().observe(provider.newFactory(config));
    }
}
