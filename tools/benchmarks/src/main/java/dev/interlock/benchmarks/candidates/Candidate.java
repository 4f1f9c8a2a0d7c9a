// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import dev.interlock.tools.backends.Topology;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A lock that somebody could choose.
 *
 * @param name what the user and the tables call it; what stands before a slash names a group
 * @param kind whose it is
 * @param servers how many servers it wants
 * @param opener opens its clients
 * @param options what the opener must know
 * @param artifacts the artifacts that an application names to use it
 * @param objections why it does not run on servers that belong together so, where it does not
 */
public record Candidate(
        String name,
        Kind kind,
        int servers,
        Opener opener,
        Map<String, String> options,
        List<String> artifacts,
        Map<Topology, String> objections) {
    /** Whose a lock is. */
    public enum Kind {
        OURS,

        /** Written by the user over a bare client: the floor, without renewal. */
        RAW,

        /** A hand-over of a token without a lease: the floor of a hand-off, but no lock. */
        TOKEN,

        PEER
    }

    public LockClient open(List<URI> endpoints, Terms terms) {
        return opener.open(endpoints, terms, options);
    }

    public boolean runsOn(Topology topology) {
        return !objections.containsKey(topology);
    }

    /**
     * Returns whether threads of one client pass locks on as they are made to; where none could, the others say nothing
     * new.
     */
    public boolean passesOnAsItComes() {
        return !options.containsKey(InterlockOpener.LOCAL_HANDOFFS);
    }

    /** Returns whether it has locks over several names, and passes on as it comes. */
    public boolean locksSeveralNames() {
        return locksAsItComes() && (kind == Kind.OURS || RedissonOpener.RLOCK.equals(options.get(RedissonOpener.KIND)));
    }

    /** Returns whether it is a lock, and passes on as it comes. */
    public boolean locksAsItComes() {
        return passesOnAsItComes() && kind != Kind.TOKEN;
    }

    /** Returns whether it has read/write locks, and is no variant that says nothing new about them. */
    public boolean readsAndWrites() {
        return locksAsItComes() && opener.hasReadWriteLocks(options);
    }

    /** Returns whether its locks have conditions, and it is no variant that says nothing new about them. */
    public boolean hasConditions() {
        return locksAsItComes() && opener.hasConditions(options);
    }

    /** Returns whether it holds locks for longer than their lease. */
    public boolean holds() {
        return locksAsItComes() && kind != Kind.RAW;
    }

    /** Returns whether it is the one, or one of the group, that a user means. */
    public boolean isMeantBy(String text) {
        return name.equals(text) || name.startsWith(text + "/");
    }
}
