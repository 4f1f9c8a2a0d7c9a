// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redlock.RedlockStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code redlock}: a majority of independent Redis servers, with fencing tokens and delayed restarts. */
module dev.interlock.redlock {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires transitive dev.interlock.redis;
    requires transitive lettuce.core;
    requires static org.jspecify;

    exports dev.interlock.redlock;

    provides LockStrategyProvider with
            RedlockStrategyProvider;
}
