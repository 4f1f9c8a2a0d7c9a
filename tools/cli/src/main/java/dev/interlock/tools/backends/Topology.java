// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The topologies of a tool's own servers. */
public enum Topology {
    /** As many servers as the strategy is meant to run on, which do not know each other. */
    SINGLE_SERVERS("single", null),
    /** A primary with replicas, and three sentinels. */
    SENTINELS("sentinels", "redis-sentinel://127.0.0.1:1/0#mymaster"),
    /** A cluster of three primaries. */
    CLUSTER("cluster", "redis-cluster://127.0.0.1:1");

    private final String id;

    /** An endpoint of this form at which nobody listens, to check strategies without servers. */
    private final @Nullable String imaginary;

    Topology(String id, @Nullable String imaginary) {
        this.id = id;
        this.imaginary = imaginary;
    }

    /** Returns its name on the command line. */
    public String id() {
        return id;
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
