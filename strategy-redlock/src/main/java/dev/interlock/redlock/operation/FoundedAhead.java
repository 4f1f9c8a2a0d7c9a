// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.operation.NodeChange.KeptList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A new list that clients have founded before the command that leads to it: its nodes had lost their data. Clients with
 * the old list do not take the new one over, which is no later than theirs, so the command must carry the change out
 * nevertheless.
 *
 * @param old the addresses on the old list
 * @param list the new list, as it was founded
 * @param silent the nodes of the new list that do not answer, each with the reason
 */
record FoundedAhead(Set<String> old, Configuration list, Map<String, LockBackendException> silent) {

    /**
     * Asks the node that leaves, and then the nodes of the list to which the command leads. A list counts only if it is
     * exactly the one that the command makes of the list that the leaving node has. Any other list may be a client's
     * mistake. The leaving node may also have the new list itself, in the place of the one that joins.
     *
     * @param nodes the servers
     * @param leaving the address of the node that leaves
     * @param entering the address of the node that joins, or empty
     * @return the lists; empty if the leaving node does not answer, if one of both lists was changed since it was
     *     founded, or if any node has a third one
     */
    static Optional<FoundedAhead> find(NodeChange.Nodes nodes, String leaving, Optional<String> entering) {
        KeptList kept = keptBy(nodes, leaving);
        if (kept == null || kept.list().revision() > 0) {
            return Optional.empty();
        }
        Set<String> wanted = addresses(kept.list());
        boolean isOld = wanted.remove(leaving) && entering.map(wanted::add).orElse(true);
        // Told by a client whose file names this node there, and which has learned the new list from another node.
        boolean isInItsPlace = kept.list().node(leaving).isEmpty()
                && entering.flatMap(kept.list()::node).isPresent();
        if (!isOld && !isInItsPlace) {
            return Optional.empty();
        }
        Set<String> old = new HashSet<>(wanted);
        old.add(leaving);
        entering.ifPresent(old::remove);
        Map<String, LockBackendException> silent = new LinkedHashMap<>();
        Configuration list = isInItsPlace ? kept.list() : null;
        boolean isFounded = false;
        for (String address : wanted) {
            try {
                KeptList known = nodes.listAt(address).orElse(null);
                if (known == null) {
                    continue;
                }
                if (!isWanted(known.list(), wanted, list) || known.runId().equals(kept.runId())) {
                    return Optional.empty();
                }
                list = known.list();
                isFounded = true;
            } catch (LockBackendException e) {
                silent.put(address, e);
            }
        }
        return isFounded && list != null ? Optional.of(new FoundedAhead(old, list, silent)) : Optional.empty();
    }

    private static @Nullable KeptList keptBy(NodeChange.Nodes nodes, String address) {
        try {
            return nodes.listAt(address).orElse(null);
        } catch (LockBackendException e) {
            return null;
        }
    }

    private static boolean isWanted(Configuration known, Set<String> wanted, @Nullable Configuration before) {
        return known.revision() == 0 && addresses(known).equals(wanted) && (before == null || known.equals(before));
    }

    private static Set<String> addresses(Configuration configuration) {
        return configuration.nodes().stream().map(ListedNode::address).collect(Collectors.toCollection(HashSet::new));
    }

    /** Returns whether a client that goes by a list goes by the old or by the new one. */
    boolean concerns(Configuration now) {
        return now.revision() == 0
                && (addresses(now).equals(old) || addresses(now).equals(addresses(list)));
    }

    /** Fails unless all nodes of the new list answer. */
    void requireNoneSilent() {
        silent.values().stream().findFirst().ifPresent(cause -> {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    silent.keySet() + " cannot be told of the change, whose list was founded before the command: make"
                            + " them answer; the first says: " + cause.getMessage(),
                    cause);
        });
    }
}
