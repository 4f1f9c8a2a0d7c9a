// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.spi.LockStrategyProvider;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A wrong lock on a real server, the numbers of the rules that it always breaks, and of the rules that it breaks if a
 * race goes against it.
 */
record Specimen(LockStrategyProvider provider, Set<String> breaks, Set<String> races) {
    static Specimen of(LockStrategyProvider provider, String... breaks) {
        return new Specimen(provider, new TreeSet<>(List.of(breaks)), Set.of());
    }

    Specimen races(String... rules) {
        return new Specimen(provider, breaks, new TreeSet<>(List.of(rules)));
    }

    @Override
    public String toString() {
        return provider.name();
    }
}
