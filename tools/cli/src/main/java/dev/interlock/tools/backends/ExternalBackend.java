// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.redis.endpoint.RedisEndpoint;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;

/** Servers that the user runs. */
public final class ExternalBackend implements Backend {
    private final List<URI> uris;

    /** Takes a cluster, or a primary with its sentinels. */
    ExternalBackend(List<URI> uris) {
        this.uris = List.copyOf(uris);
    }

    /** Takes the first of the servers that the user named, as many as are needed. */
    public ExternalBackend(List<URI> uris, int needed) {
        if (uris.size() < needed) {
            throw new ToolException("it needs " + needed + " servers and --redis names " + uris.size()
                    + ": name more, or leave --redis out to use embedded ones");
        }
        this.uris = List.copyOf(uris.subList(0, needed));
    }

    @Override
    public String endpoints() {
        return uris.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    @Override
    public String redisVersion() {
        try (PlainClient client = new PlainClient(DataServers.of(uris).all().get(0))) {
            return client.redisVersion();
        }
    }

    @Override
    public long commands(Runnable work) {
        long before = total();
        work.run();
        return total() - before;
    }

    private long total() {
        long total = 0;
        for (RedisEndpoint server : DataServers.of(uris).all()) {
            try (PlainClient client = new PlainClient(server)) {
                total += client.commandsCarriedOut();
            }
        }
        return total;
    }

    @Override
    public Counting counting() {
        return Counting.COMMAND_STATS;
    }

    @Override
    public void close() {
        // The user's servers go on running.
    }
}
