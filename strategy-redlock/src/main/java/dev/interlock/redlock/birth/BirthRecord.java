// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.redlock.joint.Configuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The birth record of a node. The birth is the moment since which the node has forgotten nothing.
 *
 * @param id the birth and the version of its record, which changes with every field but the age
 * @param birth the name of the birth
 * @param self the process that was born, and its epoch
 * @param longestLease the longest lease that any client has announced
 * @param age for how long clients have watched since the birth
 * @param told the indexes, one character each, of the other nodes that knew of the process when it was as old as its
 *     age says, or before
 * @param disputed whether the node was used by another configuration, or in the place of another process, right before
 *     its birth
 * @param listing which nodes vote, as this one knows
 * @param peers the processes in the places of other nodes, as far as this node was told, by index
 */
public record BirthRecord(
        String id,
        String birth,
        Incumbent self,
        Duration longestLease,
        Duration age,
        String told,
        boolean disputed,
        Listing listing,
        Map<Integer, Incumbent> peers) {
    /** Stands for a node without a record; no state of a record has this id. */
    private static final BirthRecord ABSENT = new BirthRecord(
            "none",
            "",
            new Incumbent(0, ""),
            Duration.ZERO,
            Duration.ZERO,
            "",
            false,
            new Listing(Configuration.founding(List.of()), -1, false, false),
            Map.of());

    private static final String PEER = "peer:";

    /**
     * The list of voting nodes as one node stores it.
     *
     * @param configuration which nodes vote
     * @param index the index of this node; negative if it has none
     * @param founded whether the configuration is agreed
     * @param enrolled whether the client has enrolled the node, rather than only read its record
     */
    public record Listing(Configuration configuration, int index, boolean founded, boolean enrolled) {}

    /** Creates a record. */
    public BirthRecord {
        peers = Map.copyOf(peers);
    }

    /**
     * Reads the reply of the script.
     *
     * @param reply alternating names and values
     * @throws IllegalArgumentException if that is no birth record
     */
    static BirthRecord read(Object reply) {
        if (!(reply instanceof List<?> flat)) {
            throw new IllegalArgumentException("no list");
        }
        if (flat.isEmpty()) {
            return ABSENT;
        }
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            fields.put(String.valueOf(flat.get(i)), String.valueOf(flat.get(i + 1)));
        }
        Map<Integer, Incumbent> peers = new HashMap<>();
        fields.forEach((name, value) -> {
            if (name.startsWith(PEER)) {
                String[] parts = value.split(" ", 2);
                peers.put(
                        Integer.valueOf(name.substring(PEER.length())),
                        new Incumbent(Long.parseLong(parts[0]), parts[1]));
            }
        });
        return new BirthRecord(
                field(fields, "id"),
                field(fields, "birth"),
                new Incumbent(Long.parseLong(field(fields, "epoch")), field(fields, "run")),
                Duration.ofMillis(Long.parseLong(field(fields, "lease"))),
                Duration.ofMillis(Long.parseLong(field(fields, "age"))),
                field(fields, "told"),
                field(fields, "disputed").equals("1"),
                new Listing(
                        Configuration.parse(field(fields, "config")),
                        Integer.parseInt(field(fields, "index")),
                        field(fields, "founded").equals("1"),
                        !fields.containsKey("seen")),
                peers);
    }

    /**
     * Returns this record, which a node has returned for a later configuration, for a client that has already enrolled
     * the node: the birth is still the same.
     *
     * @param last the record when it was enrolled
     */
    BirthRecord after(BirthRecord last) {
        if (listing.enrolled() || !last.listing.enrolled() || !birth.equals(last.birth)) {
            return this;
        }
        Listing known = new Listing(listing.configuration(), listing.index(), listing.founded(), true);
        return new BirthRecord(id, birth, self, longestLease, age, told, disputed, known, peers);
    }

    /** Returns whether the node has a record. */
    boolean isPresent() {
        return listing.index() >= 0;
    }

    /** Returns whether another node knew of the process before the time that counts as watched. */
    boolean isToldTo(int peer) {
        return told.indexOf(Character.forDigit(peer, Character.MAX_RADIX)) >= 0;
    }

    private static String field(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the field " + name + " is missing");
        }
        return value;
    }
}
