// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;

/**
 * One annotation of a method, read and checked.
 *
 * @param name the name of the lock
 * @param waitTime the longest time to wait for it, or empty for as long as it takes
 * @param lease the lease, or empty for that of the factory
 * @param onTaken what happens if it is taken
 * @param fallback what is called instead, if there is such a method
 * @param factory the name of the bean that has the lock, or empty for the only or primary one
 */
record LockedOperation(
        LockNameTemplate name,
        Optional<Duration> waitTime,
        Optional<Duration> lease,
        Locked.OnTaken onTaken,
        Optional<Method> fallback,
        String factory) {}
