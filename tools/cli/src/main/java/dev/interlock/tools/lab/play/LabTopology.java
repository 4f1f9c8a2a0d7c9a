// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.tools.backends.Servers;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the servers of a cell belong together. */
public enum LabTopology {
    /** As many servers as the strategy is meant to run on, which do not know each other. */
    SINGLE_SERVERS(null),
    /** A primary with two replicas, and three sentinels. */
    SENTINELS("redis-sentinel://127.0.0.1:1/0#mymaster"),
    /** A cluster of three primaries with a replica each. */
    CLUSTER("redis-cluster://127.0.0.1:1");

    /** An endpoint of this form, where nobody listens. */
    private final @Nullable String imaginary;

    LabTopology(@Nullable String imaginary) {
        this.imaginary = imaginary;
    }

    /** Returns why a strategy cannot run on such servers, or empty if it can. */
    public Optional<String> objection(LockStrategyProvider provider) {
        if (imaginary == null) {
            return Optional.empty();
        }
        ServerNeeds needs = provider.profile().servers();
        return needs.relation() == ServerNeeds.Relation.INDEPENDENT
                ? Optional.of("the strategy runs on " + needs.summary())
                : new Servers(List.of(URI.create(imaginary))).objection(provider);
    }
}
