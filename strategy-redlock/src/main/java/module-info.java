// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.redlock.RedlockStrategyProvider;
import dev.interlock.redlock.inspect.RedlockInspectionProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code redlock}: a majority of independent Redis servers, with fencing tokens and delayed restarts. */
module dev.interlock.redlock {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires transitive dev.interlock.redis;
    requires transitive lettuce.core;
    requires static org.jspecify;

    exports dev.interlock.redlock;

    // The scripts beside its classes, which the port to Redis reads.
    opens dev.interlock.redlock to
            dev.interlock.redis;
    opens dev.interlock.redlock.birth to
            dev.interlock.redis;
    opens dev.interlock.redlock.inspect to
            dev.interlock.redis;
    opens dev.interlock.redlock.lead to
            dev.interlock.redis;

    provides LockStrategyProvider with
            RedlockStrategyProvider;
    provides LockInspectionProvider with
            RedlockInspectionProvider;
}
