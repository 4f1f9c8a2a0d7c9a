// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock of another library, presented as a strategy, so that it is measured and put under faults by the same code as
 * ours. Its profile is what its documentation promises; its options tell how it is configured, and cannot be set.
 */
public final class PeerProvider implements LockStrategyProvider {
    private final String name;
    private final PeerCard card;
    private final StrategyProfile profile;
    private final Function<LockConfig, Map<String, String>> configuration;
    private final PeerDriver driver;
    private volatile @Nullable List<StrategyOption> options;

    PeerProvider(
            String name,
            PeerCard card,
            StrategyProfile profile,
            Function<LockConfig, Map<String, String>> configuration,
            PeerDriver driver) {
        this.name = name;
        this.card = card;
        this.profile = profile;
        this.driver = driver;
        this.configuration = configuration;
    }

    /** Connects a client, as one process of an application would have it. The caller must close it. */
    PeerClient connect(LockConfig config) {
        return driver.connect(config);
    }

    @Override
    public String name() {
        return name;
    }

    public PeerCard card() {
        return card;
    }

    @Override
    public StrategyProfile profile() {
        return profile;
    }

    /** Returns the settings that its client has where ours would have a configuration, read from that client. */
    public Map<String, String> configuration(LockConfig config) {
        return new TreeMap<>(configuration.apply(config));
    }

    /** Returns the settings that its client has where ours would be left at their defaults. */
    @Override
    public List<StrategyOption> options() {
        List<StrategyOption> known = options;
        if (known == null) {
            known = readOptions();
            options = known;
        }
        return known;
    }

    private List<StrategyOption> readOptions() {
        return configuration(LockConfig.of("redis://localhost")).entrySet().stream()
                .map(entry -> new StrategyOption(entry.getKey(), entry.getValue(), "how it is configured here"))
                .toList();
    }

    /** Connects a client whose locks are used as they are. The caller must close it. */
    public BareLocks bareLocks(LockConfig config) {
        return connect(config);
    }

    /** Connects when the first lock is wanted, as our strategies do. */
    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        for (var endpoint : config.endpoints()) {
            if (!List.of("redis", "rediss").contains(endpoint.getScheme())) {
                throw new IllegalArgumentException("the tools connect " + name + " to single servers only");
            }
        }
        return new PeerFactory(this, config);
    }

    /**
     * Returns the clients for a run of the kit. Each rule gets the clients of the rules before it, unless the library
     * needs new ones.
     */
    public KitClients clientsForTheKit(LockConfig config) {
        return new KitClients(config);
    }

    /** Clients for rules, which are closed after the last one. */
    public final class KitClients implements Supplier<PlainLocks>, AutoCloseable {
        private final LockConfig config;
        private final List<PeerClient> shared = new CopyOnWriteArrayList<>();

        private KitClients(LockConfig config) {
            this.config = config;
        }

        /** Returns the locks of the next rule. */
        @Override
        public PlainLocks get() {
            AtomicInteger next = new AtomicInteger();
            return driver.declare(PlainLocks.clients(
                    () -> driver.servesManyRules() ? lent(shared(next.getAndIncrement())) : owned(connect(config))));
        }

        private synchronized PeerClient shared(int index) {
            while (shared.size() <= index) {
                shared.add(connect(config));
            }
            return shared.get(index);
        }

        private static PlainLocks.Client lent(PeerClient client) {
            return client::lock;
        }

        private static PlainLocks.Client owned(PeerClient client) {
            return new PlainLocks.Client() {
                @Override
                public java.util.concurrent.locks.Lock lock(String name) {
                    return client.lock(name);
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }

        @Override
        public void close() {
            new ArrayList<>(shared).forEach(PeerClient::close);
            shared.clear();
        }
    }
}
