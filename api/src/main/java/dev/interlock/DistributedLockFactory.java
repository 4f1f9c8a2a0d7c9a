// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.util.Collection;
import java.util.List;

/**
 * A configured source of locks of one strategy.
 *
 * <p>A factory owns connections and threads, so a program keeps one and closes it at its end. Factories are safe to use
 * from any thread. Two factories are two clients: their locks of one name exclude each other even within one process,
 * and a thread that holds the lock of one does not hold that of the other.
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
     * <p>All locks of one name from one factory are the same lock: a thread that acquired it through one object holds
     * it through all of them. Names are compared exactly, and any character may be part of one.
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
     * Returns one lock over several names, with the {@linkplain LockConfig#lockDefaults() default options} of the
     * configuration. Equivalent to {@link #getLock(Collection, LockOptions) getLock(names, defaults)}.
     *
     * @param names the names of what is protected, at least one
     * @return the lock over those names
     * @throws IllegalArgumentException if there is no name, or one is none that {@link #getLock(String)} takes
     * @throws UnsupportedOperationException if this strategy lacks {@link Capability#SEVERAL_NAMES}
     * @throws IllegalStateException if this factory is closed
     */
    default DistributedLock getLock(Collection<String> names) {
        throw withoutSeveralNames();
    }

    /**
     * Returns one lock over several names, with options for the acquisitions that are made through the returned object.
     * Does no I/O, and the object is cheap to make and to drop. Duplicates count once, and the order of the names does
     * not matter: all locks of one factory over the same names are the same lock. The lock over a single name is the
     * lock of that name.
     *
     * <p><b>All or none.</b> Whoever acquires the lock holds all names, and excludes the holders of any of them, in
     * whatever lock they have part. One deadline covers all names. An acquisition that does not end with the lock,
     * because its time ran out, it was interrupted or it failed, gives back the names that it had taken by then.
     *
     * <p><b>One order.</b> Names are acquired in the order of their UTF-8 bytes, compared as unsigned numbers, by all
     * clients and with all strategies, so that acquisitions of several names do not wait for each other in a circle.
     * While an acquisition waits for one name, it keeps those before it.
     *
     * <p><b>One loss.</b> When the lease of one name is lost, the lock is lost: its holder is told once, and the other
     * names are given back in the background. The lease is valid for as long as those of all names are.
     *
     * <p><b>Beside locks over single names.</b> A thread that holds some of the names by other locks re-enters these,
     * and holds them until it has unlocked both; so it may lock single names of a lock over several that it holds. It
     * cannot unlock a name that it holds only as part of this lock. A thread that would wait for a name while it holds
     * a later one of the lock gets {@link IllegalStateException}, since another one could wait for it in turn;
     * {@link DistributedLock#tryLock()}, which does not wait, takes names in any order.
     *
     * @param names the names of what is protected, at least one
     * @param options how acquisitions through the returned object behave
     * @return the lock over those names
     * @throws IllegalArgumentException if there is no name, or one is none that {@link #getLock(String)} takes
     * @throws UnsupportedOperationException if this strategy lacks {@link Capability#SEVERAL_NAMES}
     * @throws IllegalStateException if this factory is closed
     */
    default DistributedLock getLock(Collection<String> names, LockOptions options) {
        throw withoutSeveralNames();
    }

    private UnsupportedOperationException withoutSeveralNames() {
        return new UnsupportedOperationException(
                "strategy " + strategy()
                        + " has no locks over several names: acquire the locks of the names one after the other, always in the same order");
    }

    /**
     * Returns the status of each server of the backend, as this factory knows it, for strategies that use several
     * independent servers, such as {@code redlock}. Does not block, and asks no server: a factory that has not been
     * used yet has not connected.
     *
     * <p>This implementation returns an empty list.
     *
     * @return the servers in the order of the configuration, then those that have joined; empty if the strategy does
     *     not tell, or this factory is closed
     */
    default List<ServerStatus> servers() {
        return List.of();
    }

    /**
     * Returns the read/write lock of a name, with the {@linkplain LockConfig#lockDefaults() default options} of the
     * configuration. Equivalent to {@link #getReadWriteLock(String, LockOptions) getReadWriteLock(name, defaults)}.
     *
     * @param name the name of what is protected
     * @return the read/write lock of that name
     * @throws IllegalArgumentException if {@link #getLock(String)} would refuse the name
     * @throws UnsupportedOperationException if this factory's strategy, as it is configured, lacks
     *     {@link Capability#READ_WRITE}
     * @throws IllegalStateException if this factory is closed
     */
    default DistributedReadWriteLock getReadWriteLock(String name) {
        throw withoutReadWriteLocks();
    }

    /**
     * Returns the read/write lock of a name, with options for the acquisitions of both its sides that are made through
     * the returned object. Does no I/O, and the object is cheap to make and to drop.
     *
     * <p>All read/write locks of one name from one factory are the same lock. With a strategy that declares {@link
     * Capability#READ_WRITE_APART} it is another lock than that of {@link #getLock(String)}, even if their names are
     * the same: they do not exclude each other. With other strategies they do.
     *
     * @param name the name of what is protected
     * @param options how acquisitions through the returned object behave
     * @return the read/write lock of that name
     * @throws IllegalArgumentException if {@link #getLock(String)} would refuse the name
     * @throws UnsupportedOperationException if this factory's strategy, as it is configured, lacks
     *     {@link Capability#READ_WRITE}
     * @throws IllegalStateException if this factory is closed
     */
    default DistributedReadWriteLock getReadWriteLock(String name, LockOptions options) {
        throw withoutReadWriteLocks();
    }

    private UnsupportedOperationException withoutReadWriteLocks() {
        return new UnsupportedOperationException("strategy \"" + strategy()
                + "\" has no read/write locks as it is configured: use a strategy and options whose profile() has the"
                + " capability READ_WRITE, such as set-nx-px with its defaults, or the lock of getLock(name),"
                + " which excludes readers from each other as well. docs/read-write.md says why others have none");
    }

    /**
     * Closes this factory: releases its locks on the servers, fails its waiting threads with {@link
     * IllegalStateException}, tells the holders ({@link LossCause#FACTORY_CLOSED}), and closes the connections that it
     * opened. A client that was handed in stays open.
     *
     * <p>Blocks until pending requests have ended and the held locks are released; if the backend does not answer, for
     * a few command time-outs. A lock that cannot be released ends with its lease. Interrupts are ignored and
     * preserved. Closing a closed factory has no effect.
     */
    @Override
    void close();
}
