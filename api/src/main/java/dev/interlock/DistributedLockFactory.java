// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.StrategyProfile;

/**
 * A configured source of locks of one strategy.
 *
 * <p>A factory owns connections and threads, so a program keeps one and closes it at its end. Factories are safe to use
 * from any thread. Two factories are two clients: their locks of one name exclude each other even within one process, and
 * a thread that holds the lock of one does not hold that of the other.
 */
public interface DistributedLockFactory extends AutoCloseable {
    /**
     * Returns the name of the strategy.
     *
     * @return the name of the strategy
     */
    String strategy();

    /**
     * Returns what this factory's locks promise and assume, with its configuration taken into account.
     *
     * @return the profile in force
     */
    StrategyProfile profile();

    /**
     * Returns the lock of a name, with the {@linkplain LockConfig#lockDefaults() default options} of the configuration.
     * Equivalent to {@link #getLock(String, LockOptions) getLock(name, defaults)}.
     *
     * @param name the name of what is protected
     * @return the lock of that name
     * @throws IllegalArgumentException if the name is blank, is longer than 512 bytes in UTF-8, or cannot be encoded in
     *     UTF-8
     * @throws IllegalStateException if this factory is closed
     */
    DistributedLock getLock(String name);

    /**
     * Returns the lock of a name, with options for the acquisitions that are made through the returned object. Does no
     * I/O, and the object is cheap to make and to drop.
     *
     * <p>All locks of one name from one factory are the same lock: a thread that acquired it through one object holds it
     * through all of them. Names are compared exactly, and any character may be part of one.
     *
     * @param name the name of what is protected
     * @param options how acquisitions through the returned object behave
     * @return the lock of that name
     * @throws IllegalArgumentException if the name is blank, is longer than 512 bytes in UTF-8, or cannot be encoded in
     *     UTF-8
     * @throws IllegalStateException if this factory is closed
     */
    DistributedLock getLock(String name, LockOptions options);

    /**
     * Ends all that this factory holds and does: releases its locks on the servers, fails its waiting threads with
     * {@link IllegalStateException}, tells the holders ({@link LossCause#FACTORY_CLOSED}), and closes the connections that
     * it opened. A client that was handed in stays open.
     *
     * <p>Blocks while requests that are on their way end and what is held is released; if the backend does not answer, for a
     * few command time-outs. What cannot be released ends with its lease. Interrupts are ignored and preserved. Closing a closed
     * factory has no effect.
     */
    @Override
    void close();
}
