// SPDX-License-Identifier: Apache-2.0
/**
 * The Interlock API: a distributed {@link java.util.concurrent.locks.Lock}, and the service interface of its
 * strategies.
 */
module dev.interlock {
    requires static org.jspecify;

    exports dev.interlock;
    exports dev.interlock.spi;

    uses dev.interlock.spi.LockStrategyProvider;
}
