// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.LockStrategyProvider;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A broken lock of the source documents, on a real server, and the numbers of the rules that it breaks. */
record Specimen(LockStrategyProvider provider, Set<String> breaks) {
    static Specimen of(LockStrategyProvider provider, String... breaks) {
        return new Specimen(provider, new TreeSet<>(List.of(breaks)));
    }

    @Override
    public String toString() {
        return provider.name();
    }
}
