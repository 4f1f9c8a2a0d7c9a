// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redisson.RedissonStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code redisson}: the lock of Redisson, on the wire as Redisson has it. */
module dev.interlock.redisson {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires dev.interlock.redis;
    requires io.netty.common;
    requires transitive redisson;
    requires static org.jspecify;

    exports dev.interlock.redisson;

    provides LockStrategyProvider with
            RedissonStrategyProvider;
}
