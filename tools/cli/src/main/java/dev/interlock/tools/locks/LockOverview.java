// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** All locks on some servers whose strategies let them be looked at. */
public final class LockOverview implements AutoCloseable {
    private final Servers servers;
    private final Map<String, LockInspection> inspections;
    private final Consumer<String> warnings;

    private LockOverview(Servers servers, Map<String, LockInspection> inspections, Consumer<String> warnings) {
        this.servers = servers;
        this.inspections = inspections;
        this.warnings = warnings;
    }

    /**
     * A lock that is held, and the strategy that says so.
     *
     * @param strategy the name of the strategy
     * @param lock the lock
     */
    public record Found(String strategy, InspectedLock lock) {}

    /**
     * Opens the locks on some servers.
     *
     * @param config the endpoints and the prefix of keys
     * @param strategy the only strategy whose locks are wanted; empty for all that can run on these servers
     * @param warnings told what cannot be seen
     * @return the locks, of all strategies that are installed and can be looked at
     * @throws IllegalArgumentException if the strategy cannot run on these servers
     * @throws ToolException if there is no such strategy
     */
    public static LockOverview open(LockConfig config, Optional<String> strategy, Consumer<String> warnings) {
        Map<String, LockInspectionProvider> providers = new TreeMap<>();
        ServiceLoader.load(LockInspectionProvider.class)
                .forEach(provider -> providers.put(provider.strategy(), provider));
        if (strategy.isPresent() && !providers.containsKey(strategy.get())) {
            throw new ToolException("there is no strategy \"" + strategy.get()
                    + "\" whose locks can be looked at: say one of " + String.join(", ", providers.keySet()));
        }
        Servers servers = new Servers(config.endpoints());
        Optional<ServerNeeds.Relation> relation = strategy.isPresent() ? Optional.empty() : servers.relation();
        Map<String, ServerNeeds.Relation> wanted = DistributedLocks.strategies().stream()
                .collect(Collectors.toMap(
                        LockStrategyProvider::name,
                        provider -> provider.profile().servers().relation()));
        Map<String, LockInspection> inspections = new LinkedHashMap<>();
        providers.forEach((name, provider) -> {
            boolean fits = relation.isEmpty() || relation.equals(Optional.ofNullable(wanted.get(name)));
            if (fits && strategy.map(name::equals).orElse(true)) {
                inspections.put(name, provider.open(config));
            }
        });
        if (inspections.isEmpty()) {
            throw new ToolException("no strategy is installed that can run on these servers");
        }
        return new LockOverview(servers, inspections, warnings);
    }

    /** Looks at all locks, in the order of their names. */
    public List<Found> all() {
        List<Found> found = new ArrayList<>();
        Set<String> told = new LinkedHashSet<>();
        inspections.forEach((strategy, inspection) ->
                servers.keys(inspection.keyPattern(), inspection.keyType(), told::add).stream()
                        .map(inspection::lockName)
                        .flatMap(Optional::stream)
                        .sorted()
                        .map(name -> look(strategy, name, told))
                        .flatMap(Optional::stream)
                        .forEach(found::add));
        told.forEach(warnings);
        return found;
    }

    /** Looks at one name, which several strategies may use for a lock of their own. */
    public List<Found> find(String name) {
        Set<String> told = new LinkedHashSet<>();
        List<Found> found = inspections.keySet().stream()
                .map(strategy -> look(strategy, name, told))
                .flatMap(Optional::stream)
                .toList();
        told.forEach(warnings);
        return found;
    }

    /** Looks at a lock, unless the user may not. */
    private Optional<Found> look(String strategy, String name, Set<String> told) {
        try {
            return Objects.requireNonNull(inspections.get(strategy)).look(name).map(lock -> new Found(strategy, lock));
        } catch (LockBackendException e) {
            if (e.reason() != Reason.REFUSED) {
                throw e;
            }
            told.add("keys of " + strategy + " cannot be read: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Releases a lock if it is still held as it was when it was looked at; returns whether it was. */
    public boolean release(Found found) {
        LockInspection inspection = inspections.get(found.strategy());
        return inspection != null && inspection.release(found.lock());
    }

    @Override
    public void close() {
        Closing.all(new ArrayList<>(inspections.values()));
    }
}
