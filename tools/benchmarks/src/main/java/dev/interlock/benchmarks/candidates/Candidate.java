// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Topology;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A lock that a user could choose.
 *
 * @param name its name for the user and in tables; the part before a slash is the name of a group
 * @param kind its origin
 * @param servers how many servers it wants
 * @param opener opens its clients
 * @param options the options for the opener
 * @param artifacts the artifacts that an application names to use it
 * @param objections the topologies on which it does not run, each with the reason
 */
public record Candidate(
        String name,
        Kind kind,
        int servers,
        Opener opener,
        Map<String, String> options,
        List<String> artifacts,
        Map<Topology, String> objections) {
    /** The origin of a lock. */
    public enum Kind {
        OURS,

        /** Written by the user over a bare client: the floor, without renewal. */
        RAW,

        /** A token that is passed on without a lease: the least cost of a hand-off, but no lock. */
        TOKEN,

        PEER
    }

    public LockClient open(List<URI> endpoints, Terms terms) {
        return opener.open(endpoints, terms, options);
    }

    /**
     * Returns the options with which it is measured, as text for reports. For a strategy of ours these are all options,
     * those that have their defaults too.
     */
    public String effectiveOptions() {
        Map<String, String> effective = new TreeMap<>(options);
        DistributedLocks.strategies().stream()
                .filter(provider -> provider.name().equals(options.get(InterlockOpener.STRATEGY)))
                .forEach(provider -> {
                    effective.putIfAbsent(InterlockOpener.LOCAL_HANDOFFS, Integer.toString(defaultHandoffs()));
                    ConfiguredStrategy.effectiveOptions(provider, options).forEach(effective::putIfAbsent);
                });
        effective.remove(InterlockOpener.STRATEGY);
        return effective.entrySet().stream()
                .map(option -> option.getKey() + "=" + option.getValue())
                .collect(Collectors.joining("; "));
    }

    private static int defaultHandoffs() {
        return LockConfig.of("redis://localhost").localHandoffs();
    }

    public boolean runsOn(Topology topology) {
        return !objections.containsKey(topology);
    }

    /**
     * Returns whether local hand-off has its default setting. Variants without it are measured only where threads of
     * one client compete.
     */
    public boolean hasDefaultHandoffs() {
        return !options.containsKey(InterlockOpener.LOCAL_HANDOFFS);
    }

    /** Returns whether it has locks over several names, and local hand-off has its default setting. */
    public boolean locksSeveralNames() {
        return locksWithDefaultHandoffs()
                && (kind == Kind.OURS || RedissonOpener.RLOCK.equals(options.get(RedissonOpener.KIND)));
    }

    /** Returns whether it is a lock, and local hand-off has its default setting. */
    public boolean locksWithDefaultHandoffs() {
        return hasDefaultHandoffs() && kind != Kind.TOKEN;
    }

    /** Returns whether it has read/write locks, and local hand-off has its default setting. */
    public boolean readsAndWrites() {
        return locksWithDefaultHandoffs() && opener.hasReadWriteLocks(options);
    }

    /** Returns whether its locks have conditions, and local hand-off has its default setting. */
    public boolean hasConditions() {
        return locksWithDefaultHandoffs() && opener.hasConditions(options);
    }

    /** Returns whether it holds locks for longer than their lease. */
    public boolean holds() {
        return locksWithDefaultHandoffs() && kind != Kind.RAW;
    }

    /** Returns whether a text that the user gave is its name, or that of its group. */
    public boolean isMeantBy(String text) {
        return name.equals(text) || name.startsWith(text + "/");
    }
}
