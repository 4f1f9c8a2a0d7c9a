// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The servers that keep the data: those that endpoints name, or the primaries of the cluster or behind the sentinels.
 *
 * @param all the servers, at least one
 */
record DataServers(List<RedisEndpoint> all) {
    /** Finds the servers; asks the cluster or the sentinels if the endpoints name such. */
    static DataServers of(List<URI> endpoints) {
        if (!belongTogether(endpoints)) {
            return new DataServers(endpoints.stream().map(RedisEndpoint::of).toList());
        }
        RedisTopology topology = RedisTopology.of(endpoints);
        if (topology instanceof RedisTopology.Sentinel sentinel) {
            return firstAnswer(
                    sentinel.sentinels(), client -> List.of(client.primary(sentinel.masterName(), sentinel.login())));
        }
        return firstAnswer(((RedisTopology.Cluster) topology).seeds(), PlainClient::clusterPrimaries);
    }

    /**
     * Returns whether endpoints name a cluster or sentinels, rather than servers that may be independent of each other.
     */
    static boolean belongTogether(List<URI> endpoints) {
        return endpoints.stream()
                .anyMatch(endpoint -> String.valueOf(endpoint.getScheme()).matches("(?i)rediss?-(sentinel|cluster)"));
    }

    private static DataServers firstAnswer(
            List<RedisEndpoint> servers, Function<PlainClient, List<RedisEndpoint>> question) {
        List<String> failures = new ArrayList<>();
        for (RedisEndpoint server : servers) {
            try (PlainClient client = new PlainClient(server)) {
                return new DataServers(question.apply(client));
            } catch (ToolException e) {
                failures.add(e.getMessage());
            }
        }
        throw new ToolException(String.join("; ", failures));
    }

    /** Connects to the server that has a key. */
    PlainClient connect(String key) {
        for (RedisEndpoint server : all) {
            PlainClient client = new PlainClient(server);
            if (all.size() == 1 || client.has(key)) {
                return client;
            }
            client.close();
        }
        throw new ToolException("none of " + all + " serves the key " + key);
    }
}
