// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** Opens clients of one library. Has a constructor without parameters, so that a fresh JVM can make one by its name. */
public interface Opener {
    /**
     * Opens a client, which the caller must close.
     *
     * @param endpoints where the servers are
     * @param terms the terms on which locks are acquired
     * @param options the options of the candidate
     */
    LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options);

    /** Returns whether clients with these options have read/write locks. */
    default boolean hasReadWriteLocks(Map<String, String> options) {
        return false;
    }

    /** Returns whether locks of clients with these options have conditions. */
    default boolean hasConditions(Map<String, String> options) {
        return false;
    }
}
