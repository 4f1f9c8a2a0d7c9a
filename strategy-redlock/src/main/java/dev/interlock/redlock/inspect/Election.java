// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import dev.interlock.redis.inspect.InspectedLock.Votes;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.Majorities;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Counts the nodes that have each token. Instances are immutable. */
final class Election {
    /** The pattern of an owner token, with the suffix under which a claim waits. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{22}-\\d+(\\.\\d+)?");

    private final List<NodeView> views;
    private final Optional<Configuration> configuration;
    private final int servers;
    private final boolean shared;

    /**
     * Creates an election.
     *
     * @param views the views of the nodes that have answered
     * @param named how many nodes there are, if none of them knows the list
     * @param shared whether clients of other makes vote for values of their own
     */
    Election(List<NodeView> views, int named, boolean shared) {
        this.shared = shared;
        this.configuration = configuration(views);
        this.views = configuration.isPresent() ? oneOfEach(views, configuration.get()) : views;
        this.servers = configuration.map(it -> it.nodes().size()).orElse(named);
    }

    /** The list of nodes that counts, as far as any of them knows one. */
    static Optional<Configuration> configuration(List<NodeView> views) {
        return views.stream()
                .filter(view -> view.index() >= 0)
                .map(view -> Configuration.parse(view.nodes()))
                .max(Comparator.comparingLong(Configuration::revision));
    }

    /** A node may have two addresses, and one that is in no list does not vote. */
    private static List<NodeView> oneOfEach(List<NodeView> views, Configuration configuration) {
        Map<Integer, NodeView> byIndex = new LinkedHashMap<>();
        for (NodeView view : views) {
            if (configuration.node(view.index()).isPresent()) {
                byIndex.putIfAbsent(view.index(), view);
            }
        }
        return List.copyOf(byIndex.values());
    }

    /** The views of the nodes that may vote. */
    List<NodeView> views() {
        return views;
    }

    /** Returns whether a value looks like an owner token of ours. */
    static boolean isOwnerToken(String value) {
        return TOKEN.matcher(value).matches();
    }

    /** The token that most nodes have; empty if none has one. */
    Optional<String> winner() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        views.stream()
                .map(NodeView::token)
                .filter(token -> shared ? !token.isEmpty() : isOwnerToken(token))
                .forEach(token -> counts.merge(token, 1, Integer::sum));
        return counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    /** The views of the nodes that have a token. */
    List<NodeView> voters(String token) {
        return views.stream().filter(view -> view.token().equals(token)).toList();
    }

    /** How many nodes have a token, and whether that is a majority. */
    Votes votes(String token) {
        List<NodeView> voters = voters(token);
        return new Votes(voters.size(), views.size(), servers, isMajority(voters));
    }

    /** Returns whether enough nodes have answered to decide anything. */
    boolean isDecisive() {
        return isMajority(views);
    }

    private boolean isMajority(List<NodeView> some) {
        if (configuration.isEmpty()) {
            // A single server that knows of no others may be one of any number of servers.
            return servers > 1 && some.size() >= Majorities.of(servers);
        }
        Set<Integer> indexes = new HashSet<>();
        some.forEach(view -> indexes.add(view.index()));
        return configuration.get().majorities().areReached(indexes::contains);
    }

    /** How many nodes are a majority. */
    int majority() {
        return Majorities.of(servers);
    }
}
