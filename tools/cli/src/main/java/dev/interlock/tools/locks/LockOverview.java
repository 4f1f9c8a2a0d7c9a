// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;
import dev.interlock.tools.backends.Closing;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.ToolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** All locks on some servers whose strategies let them be looked at. */
public final class LockOverview implements AutoCloseable {
    private final Servers servers;
    private final Map<String, LockInspection> inspections;
    private final OtherLocks others;

    private LockOverview(Servers servers, Map<String, LockInspection> inspections, OtherLocks others) {
        this.servers = servers;
        this.inspections = inspections;
        this.others = others;
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
     * @return the locks, of all strategies that are installed and can be looked at
     * @throws ToolException if there is no such strategy
     */
    public static LockOverview open(LockConfig config) {
        Map<String, LockInspection> inspections = new LinkedHashMap<>();
        for (LockInspectionProvider provider : ServiceLoader.load(LockInspectionProvider.class)) {
            inspections.put(provider.strategy(), provider.open(config));
        }
        if (inspections.isEmpty()) {
            throw new ToolException("no strategy is installed whose locks can be looked at");
        }
        return new LockOverview(new Servers(config.endpoints()), inspections, new OtherLocks(config));
    }

    /** The names of the strategies whose locks can be looked at. */
    public List<String> strategies() {
        return List.copyOf(inspections.keySet());
    }

    /** Looks at all locks, in the order of their names. */
    public List<Found> all() {
        List<Found> found = new ArrayList<>();
        inspections.forEach((strategy, inspection) -> servers.keys(inspection.keyPattern()).stream()
                .map(inspection::lockName)
                .flatMap(Optional::stream)
                .sorted()
                .map(inspection::look)
                .flatMap(Optional::stream)
                .forEach(lock -> found.add(new Found(strategy, lock))));
        return found;
    }

    /** Looks at one lock; empty if nobody holds it. */
    public Optional<Found> find(String name) {
        return inspections.entrySet().stream()
                .flatMap(entry -> entry.getValue().look(name).stream().map(lock -> new Found(entry.getKey(), lock)))
                .findFirst();
    }

    /** Looks for a lock in the keys of strategies that say no more than that it is taken. */
    public List<OtherLocks.Trace> traces(String name) {
        return others.look(name);
    }

    /** Releases a lock if it is still held as it was when it was looked at; returns whether it was. */
    public boolean release(Found found) {
        LockInspection inspection = inspections.get(found.strategy());
        return inspection != null && inspection.release(found.lock());
    }

    @Override
    public void close() {
        List<AutoCloseable> parts = new ArrayList<>(inspections.values());
        parts.add(others);
        Closing.all(parts);
    }
}
