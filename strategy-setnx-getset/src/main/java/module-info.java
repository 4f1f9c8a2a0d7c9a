// SPDX-License-Identifier: Apache-2.0
import dev.interlock.setnxgetset.SetnxGetsetStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;

/** The strategy {@code setnx-getset}: one Redis server, and a timestamp that says until when the lock is taken. */
module dev.interlock.setnxgetset {
    requires transitive dev.interlock;
    requires dev.interlock.engine;
    requires transitive dev.interlock.redis;
    requires transitive redis.clients.jedis;
    requires static org.jspecify;

    exports dev.interlock.setnxgetset;

    provides LockStrategyProvider with
            SetnxGetsetStrategyProvider;
}
