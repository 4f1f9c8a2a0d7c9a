// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.redisson.RedissonStrategyProvider;
import dev.interlock.redisson.inspect.RedissonInspectionProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code redisson}: the lock of Redisson, on the wire as Redisson has it. */
module dev.interlock.redisson {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires transitive dev.interlock.redis;
    requires io.netty.common;
    requires transitive redisson;
    requires static org.jspecify;

    exports dev.interlock.redisson;

    // The scripts beside its classes, which the port to Redis reads.
    opens dev.interlock.redisson.inspect to
            dev.interlock.redis;

    provides LockStrategyProvider with
            RedissonStrategyProvider;
    provides LockInspectionProvider with
            RedissonInspectionProvider;
}
