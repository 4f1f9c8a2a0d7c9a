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
 * @param phase the lists that it is in
 */
public record ListedNode(int index, String address, Phase phase) {
    private static final Pattern TEXT = Pattern.compile("([+-]?)(\\d{1,2})=(\\S+)");

    /** The lists that a node is in while one list replaces another. */
    public enum Phase {
        /** In both lists, or in the only one. */
        STAYS(""),
        /** Only in the old list. */
        LEAVES("-"),
        /** Only in the new list. */
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

    /** Returns the node as the record keeps it, without spaces. */
    @Override
    public String toString() {
        return phase.sign + index + "=" + address;
    }
}
