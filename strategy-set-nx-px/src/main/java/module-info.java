// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.setnxpx.SetNxPxInspectionProvider;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code set-nx-px}: one Redis server, {@code SET NX PX} and owner-checked scripts. */
module dev.interlock.setnxpx {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires transitive dev.interlock.redis;
    requires transitive redis.clients.jedis;
    requires static transitive lettuce.core;
    requires static org.jspecify;

    exports dev.interlock.setnxpx;

    // The scripts beside its classes, which the port to Redis reads.
    opens dev.interlock.setnxpx to
            dev.interlock.redis;
    opens dev.interlock.setnxpx.readwrite to
            dev.interlock.redis;

    provides LockStrategyProvider with
            SetNxPxStrategyProvider;
    provides LockInspectionProvider with
            SetNxPxInspectionProvider;
}
