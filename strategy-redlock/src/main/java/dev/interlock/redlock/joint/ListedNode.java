// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.joint;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node in the configuration of a cluster.
 *
 * @param index its number, which no other node gets for a long time
 * @param address host and port under which clients reach it
 * @param phase in which of the lists it is
 */
public record ListedNode(int index, String address, Phase phase) {
    private static final Pattern TEXT = Pattern.compile("([+-]?)(\\d{1,2})=(\\S+)");

    /** In which of two lists a node is while one replaces the other. */
    public enum Phase {
        /** In both, or in the only one. */
        STAYS(""),
        /** In the old list alone. */
        LEAVES("-"),
        /** In the new list alone. */
        JOINS("+");

        private final String sign;

        Phase(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }
    }

    /** Creates a node. */
    public ListedNode {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(phase, "phase");
    }

    static ListedNode parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" names no node");
        }
        Phase phase =
                matcher.group(1).isEmpty() ? Phase.STAYS : matcher.group(1).equals("-") ? Phase.LEAVES : Phase.JOINS;
        return new ListedNode(Integer.parseInt(matcher.group(2)), matcher.group(3), phase);
    }

    ListedNode in(Phase next) {
        return new ListedNode(index, address, next);
    }

    /** Returns the node as it is written into the record: no text of it has a space. */
    @Override
    public String toString() {
        return phase.sign + index + "=" + address;
    }
}
