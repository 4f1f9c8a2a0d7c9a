// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Loads missing values into a store. Each value is loaded once, however many threads ask for it, under one of a few
 * locks. It was written for {@link java.util.concurrent.locks.ReentrantLock}, and takes any other: with locks of a
 * {@code DistributedLockFactory} a value is loaded once by all processes that share the store.
 *
 * @param <V> what is cached
 */
public final class StripedCache<V> {
    private final List<Lock> stripes;
    private final Store<V> store;
    private final Function<String, V> loader;

    /**
     * Where values are kept.
     *
     * @param <V> what is kept
     */
    public interface Store<V> {
        /**
         * Returns a value.
         *
         * @param key its key
         * @return the value; empty if there is none
         */
        Optional<V> get(String key);

        /**
         * Keeps a value.
         *
         * @param key its key
         * @param value the value
         */
        void put(String key, V value);

        /**
         * Returns a store in memory.
         *
         * @param <V> what is kept
         * @return an empty store
         */
        static <V> Store<V> inMemory() {
            Map<String, V> values = new ConcurrentHashMap<>();
            return new Store<>() {
                @Override
                public Optional<V> get(String key) {
                    return Optional.ofNullable(values.get(key));
                }

                @Override
                public void put(String key, V value) {
                    values.put(key, value);
                }
            };
        }
    }

    /**
     * Creates a cache.
     *
     * @param stripes how many locks there are
     * @param newLock makes the lock of a stripe, such as {@code i -> new ReentrantLock()} or
     *     {@code i -> locks.getLock("cache:" + i)}
     * @param store where values are kept
     * @param loader makes a value that is missing
     */
    public StripedCache(int stripes, IntFunction<? extends Lock> newLock, Store<V> store, Function<String, V> loader) {
        this.stripes = IntStream.range(0, stripes).<Lock>mapToObj(newLock).toList();
        this.store = store;
        this.loader = loader;
    }

    /**
     * Returns a value, after loading it if it is missing.
     *
     * @param key its key
     * @return the value
     */
    public V get(String key) {
        return store.get(key).orElseGet(() -> load(key));
    }

    private V load(String key) {
        Lock lock = stripes.get(Math.floorMod(key.hashCode(), stripes.size()));
        lock.lock();
        try {
            Optional<V> loadedMeanwhile = store.get(key);
            if (loadedMeanwhile.isPresent()) {
                return loadedMeanwhile.get();
            }
            V loaded = loader.apply(key);
            store.put(key, loaded);
            return loaded;
        } finally {
            lock.unlock();
        }
    }
}
