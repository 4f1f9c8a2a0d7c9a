// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A cluster as one of its nodes sees it: what {@code CLUSTER NODES} says. */
final class ClusterView {
    /** By the port of the bus, because the other one may be that of a proxy. */
    private final Map<Integer, Member> members = new TreeMap<>();

    /**
     * A node of the cluster: its id, where clients and nodes find it, the id of its primary or {@code -}, its state, and the slots
     * that it serves.
     */
    record Member(String id, String address, String primaryId, Set<String> flags, BitSet slots) {
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
        text.lines().map(ClusterView::member).forEach(member -> members.put(member.busPort(), member));
    }

    /** Asks a node. */
    static ClusterView of(RedisServer node) {
        return new ClusterView(String.valueOf(node.command("CLUSTER", "NODES")));
    }

    /** Asks a node for its id. */
    static String id(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    private static Member member(String line) {
        String[] fields = line.split(" ", -1);
        List<String> flags = new ArrayList<>(List.of(fields[2].split(",")));
        // That a node means itself is no difference between its view and those of others, nor is it of interest who may
        // fail over.
        flags.removeAll(List.of("myself", "nofailover"));
        BitSet slots = new BitSet();
        for (int i = 8; i < fields.length; i++) {
            if (!fields[i].startsWith("[")) {
                String[] range = fields[i].split("-", -1);
                slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
            }
        }
        return new Member(fields[0], fields[1], fields[3], Set.copyOf(flags), slots);
    }

    List<Member> members() {
        return List.copyOf(members.values());
    }

    /** Returns a server as the cluster knows it. */
    Member member(RedisServer node) {
        Member member = members.get(node.busPort());
        if (member == null) {
            throw new RedisServerException(node + " is not known in the cluster");
        }
        return member;
    }

    boolean knows(RedisServer node) {
        return members.containsKey(node.busPort());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterView view && members.equals(view.members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }
}
