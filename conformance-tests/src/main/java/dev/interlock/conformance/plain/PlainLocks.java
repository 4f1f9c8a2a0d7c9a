// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Plain locks under test: how to get them, and what they have beyond {@link Lock}. Assumed to be re-entrant unless
 * {@link #notReentrant()} says otherwise. Instances are immutable.
 */
public final class PlainLocks {
    private final Supplier<? extends Client> clients;
    private final Set<Beyond> offered;
    private final Set<Capability> capabilities;
    private final @Nullable ToIntFunction<Lock> holdCount;

    private PlainLocks(
            Supplier<? extends Client> clients,
            Set<Beyond> offered,
            Set<Capability> capabilities,
            @Nullable ToIntFunction<Lock> holdCount) {
        this.clients = clients;
        this.offered = offered;
        this.capabilities = capabilities;
        this.holdCount = holdCount;
    }

    /**
     * Locks without names: each name of the rules gets one new lock, which all its users share.
     *
     * @param lock makes a new lock, which is free
     * @return the locks of one client
     */
    public static PlainLocks of(Supplier<? extends Lock> lock) {
        Objects.requireNonNull(lock, "lock");
        Map<String, Lock> locks = new ConcurrentHashMap<>();
        return oneClient(name -> locks.computeIfAbsent(name, first -> lock.get()), EnumSet.noneOf(Beyond.class));
    }

    /**
     * Locks that one client finds by name.
     *
     * @param lock returns the lock of a name; called each time that a rule asks for a lock object
     * @return the locks of one client
     */
    public static PlainLocks named(Function<String, ? extends Lock> lock) {
        Objects.requireNonNull(lock, "lock");
        return oneClient(lock::apply, EnumSet.of(Beyond.NAMES));
    }

    private static PlainLocks oneClient(Client client, Set<Beyond> offered) {
        return new PlainLocks(() -> client, offered, EnumSet.of(Capability.REENTRANT), null);
    }

    /**
     * Locks that several clients of one backend find by name. The rules close each client that they have asked for.
     *
     * @param clients makes a new client: another owner than all clients before
     * @return the locks of several clients
     */
    public static PlainLocks clients(Supplier<? extends Client> clients) {
        Objects.requireNonNull(clients, "clients");
        return new PlainLocks(
                clients, EnumSet.of(Beyond.NAMES, Beyond.CLIENTS), EnumSet.of(Capability.REENTRANT), null);
    }

    /**
     * Declares that a thread which holds a lock cannot lock it again; the rules about re-entry are skipped.
     *
     * @return locks like these that are not re-entrant
     */
    public PlainLocks notReentrant() {
        return new PlainLocks(
                clients, offered, without(Capability.class, capabilities, Capability.REENTRANT), holdCount);
    }

    /**
     * Declares that an unlock wakes the next waiter at once, instead of waiters that ask from time to time.
     *
     * @return locks like these that wake their waiters
     */
    public PlainLocks wakingWaiters() {
        return new PlainLocks(
                clients, offered, with(Capability.class, capabilities, Capability.PUSH_WAKEUP), holdCount);
    }

    /**
     * Declares that {@code newCondition()} throws {@link UnsupportedOperationException}.
     *
     * @return locks like these that have no conditions
     */
    public PlainLocks withoutConditions() {
        return new PlainLocks(clients, with(Beyond.class, offered, Beyond.NO_CONDITIONS), capabilities, holdCount);
    }

    /**
     * Declares how a lock is asked for the number of holds of the current thread.
     *
     * @param type the type of all these locks
     * @param query the question, such as {@code ReentrantLock::getHoldCount}
     * @return locks like these that can be asked
     * @param <L> the type
     */
    public <L extends Lock> PlainLocks holdCount(Class<L> type, ToIntFunction<? super L> query) {
        return new PlainLocks(
                clients,
                with(Beyond.class, offered, Beyond.QUERIES),
                capabilities,
                lock -> query.applyAsInt(type.cast(lock)));
    }

    private static <E extends Enum<E>> Set<E> with(Class<E> type, Set<E> set, E element) {
        EnumSet<E> all = EnumSet.noneOf(type);
        all.addAll(set);
        all.add(element);
        return all;
    }

    private static <E extends Enum<E>> Set<E> without(Class<E> type, Set<E> set, E element) {
        EnumSet<E> rest = EnumSet.noneOf(type);
        rest.addAll(set);
        rest.remove(element);
        return rest;
    }

    /**
     * Returns what these locks have beyond {@link Lock}.
     *
     * @return a copy
     */
    public Set<Beyond> offered() {
        EnumSet<Beyond> copy = EnumSet.noneOf(Beyond.class);
        copy.addAll(offered);
        return copy;
    }

    /**
     * Returns a provider that gives these locks what the rules expect of any lock: names, clients, and options, which
     * have no effect.
     *
     * @return a new provider
     */
    public LockStrategyProvider provider() {
        return new PlainProvider(clients, capabilities, holdCount);
    }

    /**
     * An owner of plain locks, such as a registry or a connected client library. Must be safe to use from any thread.
     */
    @FunctionalInterface
    public interface Client extends AutoCloseable {
        /**
         * Returns the lock of a name.
         *
         * @param name the name; one that no other test uses
         * @return the lock, which may be another object at each call
         */
        Lock lock(String name);

        /** Ends the client; has no effect if called again. */
        @Override
        default void close() {}
    }
}
