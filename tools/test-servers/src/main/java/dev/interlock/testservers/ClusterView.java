// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A cluster as one of its nodes sees it: the parsed reply to {@code CLUSTER NODES}. */
final class ClusterView {
    /** By the port of the bus, because the client port may be that of a proxy. */
    private final Map<Integer, Node> nodes = new TreeMap<>();

    /**
     * A node of the cluster: its id, where clients and nodes find it, the id of its primary or {@code -}, its state,
     * and the slots that it serves.
     */
    record Node(String id, String address, String primaryId, Set<String> flags, BitSet slots) {
        int busPort() {
            return Integer.parseInt(address.replaceAll(".*@|,.*", ""));
        }

        boolean isPrimary() {
            return flags.contains("master");
        }

        boolean isHealthy() {
            return flags.stream().allMatch(flag -> flag.equals("master") || flag.equals("slave"));
        }

        boolean serves(int slot) {
            return isPrimary() && slots.get(slot);
        }
    }

    private ClusterView(String text) {
        text.lines().map(ClusterView::node).forEach(node -> nodes.put(node.busPort(), node));
    }

    /** Asks a node. */
    static ClusterView of(RedisServer node) {
        return new ClusterView(String.valueOf(node.command("CLUSTER", "NODES")));
    }

    /** Asks a node for its id. */
    static String id(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    private static Node node(String line) {
        String[] fields = line.split(" ", -1);
        List<String> flags = new ArrayList<>(List.of(fields[2].split(",")));
        // Flags that differ between views of one cluster are dropped: "myself", and those about the permission to fail
        // over.
        flags.removeAll(List.of("myself", "nofailover"));
        BitSet slots = new BitSet();
        for (int i = 8; i < fields.length; i++) {
            if (!fields[i].startsWith("[")) {
                String[] range = fields[i].split("-", -1);
                slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
            }
        }
        return new Node(fields[0], fields[1], fields[3], Set.copyOf(flags), slots);
    }

    List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Returns a server as the cluster knows it. */
    Node node(RedisServer server) {
        Node node = nodes.get(server.busPort());
        if (node == null) {
            throw new RedisServerException(server + " is not known in the cluster");
        }
        return node;
    }

    boolean knows(RedisServer server) {
        return nodes.containsKey(server.busPort());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterView view && nodes.equals(view.nodes);
    }

    @Override
    public int hashCode() {
        return nodes.hashCode();
    }
}
