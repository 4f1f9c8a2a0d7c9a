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
    private final Map<Integer, Member> members = new TreeMap<>();

    /** A node of the cluster: its id, that of its primary or {@code -}, its state, and the slots that it serves. */
    record Member(String id, int port, String primaryId, Set<String> flags, BitSet slots) {
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
        text.lines().map(ClusterView::member).forEach(member -> members.put(member.port(), member));
    }

    /** Asks a node. */
    static ClusterView of(RedisServer node) {
        return new ClusterView(String.valueOf(node.command("CLUSTER", "NODES")));
    }

    private static Member member(String line) {
        String[] fields = line.split(" ");
        int port = Integer.parseInt(fields[1].replaceAll(".*:|@.*", ""));
        List<String> flags = new ArrayList<>(List.of(fields[2].split(",")));
        // That a node means itself is no difference between its view and those of others.
        flags.remove("myself");
        BitSet slots = new BitSet();
        for (int i = 8; i < fields.length; i++) {
            if (!fields[i].startsWith("[")) {
                String[] range = fields[i].split("-");
                slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
            }
        }
        return new Member(fields[0], port, fields[3], Set.copyOf(flags), slots);
    }

    List<Member> members() {
        return List.copyOf(members.values());
    }

    /** Returns the node on a port. */
    Member member(RedisServer node) {
        Member member = members.get(node.port());
        if (member == null) {
            throw new RedisServerException(node + " is not known in the cluster");
        }
        return member;
    }

    boolean knows(RedisServer node) {
        return members.containsKey(node.port());
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
