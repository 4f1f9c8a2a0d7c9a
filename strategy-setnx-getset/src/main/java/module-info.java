// SPDX-License-Identifier: Apache-2.0
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.setnxgetset.SetnxGetsetInspectionProvider;
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

    // The scripts beside its classes, which the port to Redis reads.
    opens dev.interlock.setnxgetset to
            dev.interlock.redis;

    provides LockStrategyProvider with
            SetnxGetsetStrategyProvider;
    provides LockInspectionProvider with
            SetnxGetsetInspectionProvider;
}
