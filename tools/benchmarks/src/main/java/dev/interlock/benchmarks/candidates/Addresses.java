// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The addresses of the servers of one measurement, in the forms that libraries want. Needs no library itself.
 *
 * @param uris one for each server, sentinel or node, all of the same scheme
 */
record Addresses(List<URI> uris) {
    private static final String SENTINELS = "redis-sentinel";
    private static final String CLUSTER = "redis-cluster";

    boolean areSentinels() {
        return first().getScheme().equals(SENTINELS);
    }

    boolean areNodesOfACluster() {
        return first().getScheme().equals(CLUSTER);
    }

    URI first() {
        return uris.get(0);
    }

    /** Returns the sentinels' name of the primary. */
    String primaryName() {
        return first().getFragment();
    }

    /** Returns host and port of each, as a library wants them. */
    <T> Set<T> map(Function<URI, T> form) {
        Set<T> all = new LinkedHashSet<>();
        uris.forEach(uri -> all.add(form.apply(uri)));
        return all;
    }

    /** Returns {@code redis://host:port} for each. */
    List<String> asRedisUris() {
        return List.copyOf(map(uri -> "redis://" + uri.getAuthority()));
    }
}
