// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

/** A change of the list of servers that vote. */
public enum ListChange {
    /** One server leaves, and another one joins. */
    REPLACE("replaces", true, true),
    ADD("adds", false, true),
    REMOVE("removes", true, false);

    private final String verb;
    private final boolean leaves;
    private final boolean joins;

    ListChange(String verb, boolean leaves, boolean joins) {
        this.verb = verb;
        this.leaves = leaves;
        this.joins = joins;
    }

    public String verb() {
        return verb;
    }

    /** Returns whether a server leaves the list. */
    public boolean leaves() {
        return leaves;
    }

    /** Returns whether a server joins the list. */
    public boolean joins() {
        return joins;
    }
}
