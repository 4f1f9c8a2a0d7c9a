// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A lock in memory, correct unless the {@link WrongLock} says otherwise. */
public final class MemoryHarness implements LockHarness {
    public static final StrategyProfile PROFILE = new StrategyProfile(
            "a server in memory, for the tests of the kit",
            EnumSet.of(
                    Capability.REENTRANT,
                    Capability.AUTO_RENEWAL,
                    Capability.FENCING,
                    Capability.PUSH_WAKEUP,
                    Capability.SAFE_RELEASE,
                    Capability.CONDITIONS,
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_FAIR,
                    Capability.READ_WRITE_APART,
                    Capability.SEVERAL_NAMES),
            Set.of(Assumption.RESTART_KEEPS_DATA));

    private final WrongLock wrong;
    private final MemoryServer server;

    public MemoryHarness(WrongLock wrong) {
        this.wrong = wrong;
        this.server = wrong.server();
    }

    @Override
    public LockStrategyProvider provider() {
        return new LockStrategyProvider() {
            @Override
            public String name() {
                return wrong.providerName();
            }

            @Override
            public StrategyProfile profile() {
                return wrong.profile();
            }

            @Override
            public List<StrategyOption> options() {
                return wrong.options();
            }

            @Override
            public DistributedLockFactory newFactory(LockConfig config) {
                return wrong.factory(
                        LockEngine.newFactory(
                                wrong.providerName(),
                                wrong.profile(),
                                new KeyedProtocol(wrong.protocol(server, config), name -> wrong.key(config, name)),
                                wrong.config(config),
                                Environment.system()),
                        config);
            }
        };
    }

    @Override
    public LockConfig config() {
        return LockConfig.builder()
                .endpoints(wrong.endpoints())
                .commandTimeout(Scale.millis(500))
                .build();
    }

    @Override
    public Optional<FaultInjector> faults() {
        return Optional.of(server);
    }
}
