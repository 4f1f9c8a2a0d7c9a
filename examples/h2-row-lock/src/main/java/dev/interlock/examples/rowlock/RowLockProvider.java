// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.rowlock;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;

/** Provides the strategy {@code h2-row}: one row for each lock in a database, for which waiters poll. */
public final class RowLockProvider implements LockStrategyProvider {
    private static final StrategyOption URL =
            new StrategyOption("url", "", "The JDBC URL of the database, which all clients share.");
    private static final StrategyProfile PROFILE = new StrategyProfile(
            "One row of a database for each lock; waiters poll",
            EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.FENCING, Capability.SAFE_RELEASE),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.RESTART_KEEPS_DATA));

    /** Creates the provider. */
    public RowLockProvider() {}

    @Override
    public String name() {
        return "h2-row";
    }

    @Override
    public StrategyProfile profile() {
        return PROFILE;
    }

    @Override
    public List<StrategyOption> options() {
        return List.of(URL);
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        String url = config.option(URL.name())
                .orElseThrow(() -> new IllegalArgumentException("option url is missing: give a JDBC URL of H2"));
        if (!url.startsWith("jdbc:h2:")) {
            throw new IllegalArgumentException("option url must begin with jdbc:h2:");
        }
        return LockEngine.newFactory(name(), PROFILE, new RowLockProtocol(url, config), config, Environment.system());
    }
}
