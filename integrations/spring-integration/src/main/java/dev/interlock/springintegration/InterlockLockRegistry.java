// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A {@link org.springframework.integration.support.locks.LockRegistry} whose locks are those of a
 * {@link DistributedLockFactory}. It takes the place of the registries that Spring Integration brings, such as the one
 * over Redis:
 *
 * <pre>{@code
 * @Bean
 * InterlockLockRegistry lockRegistry(DistributedLockFactory locks) {
 *     return new InterlockLockRegistry(locks, "orders");
 * }
 * }</pre>
 *
 * <p>The lock of a key is the factory's lock of the name {@code registryKey:lockKey}, so that code which asks the
 * factory for that name shares it. Locks are re-entrant. A lease is renewed while its lock is held, unless the options
 * say otherwise; no {@link org.springframework.scheduling.TaskScheduler} is needed for it, and one that is set has no
 * effect. Where renewal is off, re-entry renews a lease of which less than half is left, as a leader's heart beat does.
 *
 * <p>A registry returns the same lock object for a key while a thread of this process holds the lock or waits for it.
 * It keeps the objects that were used last, and may drop others. A dropped object still works and excludes as before.
 *
 * <h2>Exceptions</h2>
 *
 * <table class="striped">
 * <caption>What the locks throw</caption>
 * <thead><tr><th scope="col">Method</th><th scope="col">Exception</th><th scope="col">If</th></tr></thead>
 * <tbody>
 * <tr><th scope="row">{@code lock}, {@code tryLock}, …</th>
 *     <td>{@link org.springframework.dao.CannotAcquireLockException}</td>
 *     <td>the backend does not answer, or the current thread lost the lock and was not told (see
 *     {@link dev.interlock.DistributedLock}); the cause says which</td></tr>
 * <tr><th scope="row">{@code unlock}</th><td>{@link java.util.ConcurrentModificationException}</td>
 *     <td>the current thread held the lock and lost it</td></tr>
 * <tr><th scope="row">{@code unlock}</th><td>{@link IllegalMonitorStateException}</td>
 *     <td>the current thread does not hold the lock</td></tr>
 * <tr><th scope="row">{@code newCondition}</th><td>{@link UnsupportedOperationException}</td>
 *     <td>the strategy does not declare {@link dev.interlock.spi.Capability#CONDITIONS}</td></tr>
 * </tbody>
 * </table>
 *
 * <p>A registry does not close its factory. Registries are safe to use from any thread.
 */
public final class InterlockLockRegistry
        implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {
    /** The default number of lock objects that a registry keeps: {@value}. */
    public static final int DEFAULT_CAPACITY = 100_000;

    private final String registryKey;
    private final Function<String, dev.interlock.DistributedLock> locks;
    private final LockCache cache = new LockCache(DEFAULT_CAPACITY);

    /**
     * Creates a registry of locks with the factory's default options.
     *
     * @param factory where the locks come from; stays open
     * @param registryKey the prefix of the names of all locks, before a colon
     */
    public InterlockLockRegistry(DistributedLockFactory factory, String registryKey) {
        this.registryKey = Objects.requireNonNull(registryKey, "registryKey");
        this.locks = factory::getLock;
    }

    /**
     * Creates a registry of locks with options of their own.
     *
     * @param factory where the locks come from; stays open
     * @param registryKey the prefix of the names of all locks, before a colon
     * @param options the options of the locks
     */
    public InterlockLockRegistry(DistributedLockFactory factory, String registryKey, LockOptions options) {
        this.registryKey = Objects.requireNonNull(registryKey, "registryKey");
        Objects.requireNonNull(options, "options");
        this.locks = name -> factory.getLock(name, options);
    }

    /**
     * Sets how many lock objects this registry keeps. Those of locks that a thread of this process holds or waits for
     * are kept in any case.
     *
     * @param capacity the number, at least one
     * @throws IllegalArgumentException if it is less than one
     */
    public void setCacheCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a cache of " + capacity + " locks: the capacity must be at least 1");
        }
        cache.setCapacity(capacity);
    }

    /**
     * Returns the lock of a key. Does no I/O.
     *
     * @param lockKey the key, a {@link String}
     * @return its lock
     * @throws IllegalArgumentException if the key is no string, or {@code registryKey:lockKey} is no name of a lock
     *     (see {@link DistributedLockFactory#getLock(String)})
     * @throws IllegalStateException if the factory is closed
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return lock(lockKey);
    }

    private RegistryLock lock(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException("the key of a lock is a string, not a "
                    + lockKey.getClass().getName()
                    + ": derive one that is the same in all processes");
        }
        return cache.get(registryKey + ":" + key, name -> new RegistryLock(name, locks.apply(name)));
    }

    /**
     * Renews the lease by which the current thread holds a lock, for its full length.
     *
     * @param lockKey the key of the lock
     * @throws IllegalStateException if the current thread does not hold the lock, has lost it, or the lease could not
     *     be renewed
     */
    @Override
    public void renewLock(Object lockKey) {
        lock(lockKey).renew();
    }

    /**
     * Renews the lease by which the current thread holds a lock, if less than a time is left.
     *
     * @param lockKey the key of the lock
     * @param ttl how long the lease shall at least be valid from now on; at most {@link LockOptions#MAX_LEASE}
     * @throws IllegalArgumentException if the time is negative or too long
     * @throws IllegalStateException if the current thread does not hold the lock, has lost it, or the lease could not
     *     be renewed
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    /**
     * Drops the lock objects that were obtained and acquired longest ago and that no thread of this process holds or
     * waits for.
     *
     * @param age the time in milliseconds since a lock was obtained or acquired, from which on its object is dropped
     */
    @Override
    public void expireUnusedOlderThan(long age) {
        cache.expire(TimeUnit.MILLISECONDS.toNanos(age));
    }

    @Override
    public String toString() {
        return "InterlockLockRegistry[registryKey=" + registryKey + "]";
    }
}
