// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import java.util.Objects;

/**
 * The number of servers that a strategy needs, and their relation to each other.
 *
 * @param minimum the fewest with which it keeps all that its profile promises
 * @param usual how many it is meant to run on, which is what tools start
 * @param relation what the servers are to each other
 */
public record ServerNeeds(int minimum, int usual, Relation relation) {
    /** One server. */
    public static final ServerNeeds ONE = new ServerNeeds(1, 1, Relation.SINGLE);

    /** The relation of a strategy's servers to each other. */
    public enum Relation {
        /** One server, or several that act as one, such as a primary and its replicas. */
        SINGLE,
        /** Independent servers, each with its own data, whose answers are votes. */
        INDEPENDENT
    }

    /**
     * Creates a description.
     *
     * @param minimum the fewest with which the strategy keeps all that its profile promises
     * @param usual how many it is meant to run on
     * @param relation what the servers are to each other
     * @throws IllegalArgumentException if {@code minimum} is less than one or more than {@code usual}, or a single
     *     server is said to be several
     */
    public ServerNeeds {
        Objects.requireNonNull(relation, "relation");
        if (minimum < 1 || usual < minimum) {
            throw new IllegalArgumentException("minimum is " + minimum + " and usual is " + usual
                    + ": minimum must be at least 1 and at most usual");
        }
        if (relation == Relation.SINGLE && usual > 1) {
            throw new IllegalArgumentException("usual is " + usual + ": several servers are INDEPENDENT");
        }
    }

    /**
     * Describes servers that know nothing of each other.
     *
     * @param minimum the fewest with which the strategy keeps all that its profile promises
     * @param usual how many it is meant to run on
     * @return the description
     * @throws IllegalArgumentException if {@code minimum} is less than one or more than {@code usual}
     */
    public static ServerNeeds independent(int minimum, int usual) {
        return new ServerNeeds(minimum, usual, Relation.INDEPENDENT);
    }

    /**
     * Returns a short description for people.
     *
     * @return such as "1 server", or "5 servers that are independent of each other, at least 3"
     */
    public String summary() {
        return relation == Relation.SINGLE
                ? "1 server"
                : usual + " servers that are independent of each other, at least " + minimum;
    }
}
