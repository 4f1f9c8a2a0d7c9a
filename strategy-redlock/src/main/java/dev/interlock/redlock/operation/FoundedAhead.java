// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A new list that clients have founded before the command that leads to it: its nodes had lost their data. The node that
 * leaves still has the old list. Clients with the old list do not take the new one over, which is no later than theirs,
 * so the command must carry the change out nevertheless.
 *
 * @param old the list that the leaving node has
 * @param list the new list, as it was founded
 * @param silent the nodes of the new list that do not answer, each with the reason
 */
record FoundedAhead(Configuration old, Configuration list, Map<String, LockBackendException> silent) {

    /**
     * Asks the node that leaves, and then the nodes of the list to which the command leads. A list counts only if it is
     * exactly the one that the command makes of the list that the leaving node has. Any other list may be a client's
     * mistake.
     *
     * @param nodes the servers
     * @param leaving the address of the node that leaves, or empty
     * @param entering the address of the node that joins, or empty
     * @return the lists; empty if no node leaves or it does not answer, if one of both lists was changed since it was
     *     founded, or if any node has a third one
     */
    static Optional<FoundedAhead> find(NodeChange.Nodes nodes, Optional<String> leaving, Optional<String> entering) {
        Optional<Configuration> old = leaving.flatMap(address -> listAt(nodes, address))
                .filter(list -> list.revision() == 0
                        && list.node(leaving.orElseThrow()).isPresent()
                        && entering.flatMap(list::node).isEmpty());
        if (old.isEmpty()) {
            return Optional.empty();
        }
        Set<String> wanted = addresses(old.get());
        leaving.ifPresent(wanted::remove);
        entering.ifPresent(wanted::add);
        Map<String, LockBackendException> silent = new LinkedHashMap<>();
        Configuration founded = null;
        for (String address : wanted) {
            Configuration known;
            try {
                known = nodes.listAt(address).orElse(founded);
            } catch (LockBackendException e) {
                silent.put(address, e);
                continue;
            }
            if (known != null && !isFounded(known, wanted, founded)) {
                return Optional.empty();
            }
            founded = known;
        }
        return Optional.ofNullable(founded).map(list -> new FoundedAhead(old.get(), list, silent));
    }

    private static Optional<Configuration> listAt(NodeChange.Nodes nodes, String address) {
        try {
            return nodes.listAt(address);
        } catch (LockBackendException e) {
            return Optional.empty();
        }
    }

    private static boolean isFounded(Configuration known, Set<String> wanted, @Nullable Configuration before) {
        return known.revision() == 0 && addresses(known).equals(wanted) && (before == null || known.equals(before));
    }

    private static Set<String> addresses(Configuration configuration) {
        return configuration.nodes().stream().map(ListedNode::address).collect(Collectors.toCollection(HashSet::new));
    }

    /** Returns whether a client that goes by a list goes by the old or by the new one. */
    boolean concerns(Configuration now) {
        return now.revision() == 0
                && (addresses(now).equals(addresses(old)) || addresses(now).equals(addresses(list)));
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
