// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.plain.PlainLocks.Client;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Adapts plain locks to the interfaces that the rules use. */
final class PlainProvider implements LockStrategyProvider {
    private static final String NAME = "plain-lock";

    private final Supplier<? extends Client> clients;
    private final StrategyProfile profile;
    private final @Nullable ToIntFunction<Lock> holdCount;

    /** The hold counts of each client. A client that is returned twice is one owner, and has one count. */
    private final Map<Client, Map<String, HoldCounts>> holds = new ConcurrentHashMap<>();

    PlainProvider(
            Supplier<? extends Client> clients, Set<Capability> capabilities, @Nullable ToIntFunction<Lock> holdCount) {
        this.clients = clients;
        this.profile = new StrategyProfile("a plain java.util.concurrent.locks.Lock", capabilities, Set.of());
        this.holdCount = holdCount;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public StrategyProfile profile() {
        return profile;
    }

    @Override
    public List<StrategyOption> options() {
        return List.of();
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        return new Factory(clients.get());
    }

    private final class Factory implements DistributedLockFactory {
        private final Client client;

        Factory(Client client) {
            this.client = client;
        }

        @Override
        public String strategy() {
            return NAME;
        }

        @Override
        public StrategyProfile profile() {
            return profile;
        }

        @Override
        public DistributedLock getLock(String name) {
            HoldCounts ofName = holds.computeIfAbsent(client, first -> new ConcurrentHashMap<>())
                    .computeIfAbsent(name, first -> new HoldCounts());
            return new PlainLock(name, client.lock(name), ofName, holdCount);
        }

        @Override
        public DistributedLock getLock(String name, LockOptions options) {
            return getLock(name);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
