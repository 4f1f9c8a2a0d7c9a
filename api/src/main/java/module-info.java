// SPDX-License-Identifier: Apache-2.0
/** The Interlock API: a distributed {@link java.util.concurrent.locks.Lock} and the interface of those who provide one. */
module dev.interlock {
    requires static org.jspecify;

    exports dev.interlock;

    uses dev.interlock.LockStrategyProvider;
}
