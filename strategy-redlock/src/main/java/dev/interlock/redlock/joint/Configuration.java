// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.joint;

import dev.interlock.redlock.joint.ListedNode.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The list of the nodes that vote, as every node stores it. It changes in two steps: to a joint
 * configuration, in which the old and the new list both count, and from there to the new list alone. Instances are
 * immutable.
 *
 * @param revision how often the configuration was changed; two of one revision exclude each other
 * @param lastIndex the last index that was given to a node
 * @param nodes the nodes
 */
public record Configuration(long revision, int lastIndex, List<ListedNode> nodes) {
    /** The number of indexes; each is written as one character. */
    private static final int INDEXES = Character.MAX_RADIX;

    /** Creates a configuration. */
    public Configuration {
        nodes = List.copyOf(nodes);
    }

    /**
     * Returns the first configuration of a cluster.
     *
     * @param addresses of its nodes, which get their indexes in this order
     * @return a stable configuration
     */
    public static Configuration founding(List<String> addresses) {
        return new Configuration(
                0,
                addresses.size() - 1,
                IntStream.range(0, addresses.size())
                        .mapToObj(index -> new ListedNode(index, addresses.get(index), Phase.STAYS))
                        .toList());
    }

    /**
     * Reads a configuration from its text.
     *
     * @param text the text, as {@link #toString} writes it
     * @return the configuration
     * @throws IllegalArgumentException if the text is none of a configuration
     */
    public static Configuration parse(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length < 3) {
            throw new IllegalArgumentException("\"" + text + "\" is no configuration");
        }
        List<ListedNode> nodes = new ArrayList<>();
        for (int i = 2; i < parts.length; i++) {
            nodes.add(ListedNode.parse(parts[i]));
        }
        return new Configuration(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), nodes);
    }

    /**
     * Returns whether a change is under way.
     *
     * @return whether the old and the new list both count
     */
    public boolean isJoint() {
        return nodes.stream().anyMatch(node -> node.phase() != Phase.STAYS);
    }

    /**
     * Returns the joint configuration in which one node leaves, or joins, or both.
     *
     * @param leaving the index of the node that leaves, or empty
     * @param joining the address of the node that joins, or empty
     * @return the next configuration
     * @throws IllegalStateException if a change is under way
     */
    public Configuration change(Optional<Integer> leaving, Optional<String> joining) {
        if (isJoint()) {
            throw new IllegalStateException("a change is under way");
        }
        List<ListedNode> next = new ArrayList<>();
        nodes.forEach(
                node -> next.add(leaving.isPresent() && leaving.get() == node.index() ? node.in(Phase.LEAVES) : node));
        int index = joining.isPresent() ? freeIndex() : lastIndex;
        joining.ifPresent(address -> next.add(new ListedNode(index, address, Phase.JOINS)));
        return new Configuration(revision + 1, index, next);
    }

    /**
     * Returns the joint configuration that leads to this founded list from an older list that other clients may have,
     * which was founded too. Every node gets an index that neither list has given to any node, so that no client takes
     * one node for another.
     *
     * @param leaving the address of the node that only the older list has, or empty
     * @param joining the address of the node that only this list has, or empty
     * @return the next configuration
     * @throws IllegalStateException if this list was changed since it was founded
     */
    public Configuration changeToThis(Optional<String> leaving, Optional<String> joining) {
        if (revision > 0) {
            throw new IllegalStateException("the list was not founded, but changed");
        }
        List<ListedNode> next = new ArrayList<>();
        // The older list has one node more at the most.
        int index = nodes.size();
        for (ListedNode node : nodes) {
            Phase phase = joining.equals(Optional.of(node.address())) ? Phase.JOINS : Phase.STAYS;
            next.add(new ListedNode(++index, node.address(), phase));
        }
        if (leaving.isPresent()) {
            next.add(new ListedNode(++index, leaving.get(), Phase.LEAVES));
        }
        return new Configuration(revision + 1, index, next);
    }

    private int freeIndex() {
        return IntStream.rangeClosed(1, INDEXES)
                .map(step -> (lastIndex + step) % INDEXES)
                .filter(index -> node(index).isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the configuration in which the new list alone counts.
     *
     * @return the next configuration
     * @throws IllegalStateException if no change is under way
     */
    public Configuration end() {
        if (!isJoint()) {
            throw new IllegalStateException("no change is under way");
        }
        return new Configuration(
                revision + 1,
                lastIndex,
                nodes.stream()
                        .filter(node -> node.phase() != Phase.LEAVES)
                        .map(node -> node.in(Phase.STAYS))
                        .toList());
    }

    /**
     * Returns the node with an index.
     *
     * @param index the index
     * @return the node, or empty if there is none
     */
    public Optional<ListedNode> node(int index) {
        return nodes.stream().filter(node -> node.index() == index).findFirst();
    }

    /**
     * Returns the node with an address.
     *
     * @param address host and port
     * @return the node, or empty if there is none
     */
    public Optional<ListedNode> node(String address) {
        return nodes.stream().filter(node -> node.address().equals(address)).findFirst();
    }

    /**
     * Returns the majorities that a decision needs.
     *
     * @return the majorities of the list, or of both
     */
    public Majorities majorities() {
        return isJoint() ? new Majorities(List.of(oldList(), newList())) : new Majorities(List.of(newList()));
    }

    /**
     * Returns the indexes of the list that counts until a change has ended.
     *
     * @return all indexes in it
     */
    public Set<Integer> oldList() {
        return indexesWithout(Phase.JOINS);
    }

    /**
     * Returns the indexes of the list that counts once a change has ended.
     *
     * @return all indexes in it
     */
    public Set<Integer> newList() {
        return indexesWithout(Phase.LEAVES);
    }

    private Set<Integer> indexesWithout(Phase phase) {
        return nodes.stream()
                .filter(node -> node.phase() != phase)
                .map(ListedNode::index)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns whether a node has this configuration. Clients may reach the founding nodes under different addresses, so
     * addresses are compared in later configurations only.
     *
     * @param other the configuration of the node
     * @return whether both have the same voting nodes
     */
    public boolean agreesWith(Configuration other) {
        return (revision == 0 && other.revision == 0) ? newList().equals(other.newList()) : equals(other);
    }

    /**
     * Returns the addresses, for messages.
     *
     * @return the nodes in their order, with a sign before those that leave or join
     */
    public String summary() {
        return nodes.stream().map(node -> node.phase().sign() + node.address()).collect(Collectors.joining(" "));
    }

    /** Returns the configuration as it is written into the record. */
    @Override
    public String toString() {
        return revision + " " + lastIndex + " "
                + nodes.stream().map(ListedNode::toString).collect(Collectors.joining(" "));
    }
}
