// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.joint.Majorities;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The configuration by which this client counts votes: that of its configuration file, until nodes announce another
 * one. Safe to use from any thread.
 */
public final class Electorate {
    private static final System.Logger LOG = System.getLogger(Electorate.class.getPackageName());

    private final ReentrantLock lock = new ReentrantLock();

    /** The addresses under which this client reaches the nodes, by index. */
    private final Map<Integer, String> addresses = new HashMap<>();

    /** The indexes of nodes that were seen at the address of this client. */
    private final Set<Integer> seen = new HashSet<>();

    private volatile View view;

    /** How reliable the client's configuration is. */
    private enum Knowledge {
        /** The configuration of the file. Nodes are read, and not changed. */
        LOOK,
        /** No node has another configuration. */
        PLEDGE,
        /** All nodes of the configuration have it, or had it once. */
        FOUNDED;

        String argument() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record View(Configuration configuration, Majorities majorities, Knowledge knowledge) {
        View(Configuration configuration, Knowledge knowledge) {
            this(configuration, configuration.majorities(), knowledge);
        }
    }

    /**
     * Creates the configuration of a client that has asked no node yet.
     *
     * @param configured the addresses in its configuration file
     */
    public Electorate(List<String> configured) {
        this.view = new View(Configuration.founding(configured), Knowledge.LOOK);
        for (int i = 0; i < configured.size(); i++) {
            addresses.put(i, configured.get(i));
        }
    }

    /**
     * Returns the configuration.
     *
     * @return the newest one that is known
     */
    public Configuration configuration() {
        return view.configuration;
    }

    /**
     * Returns the majorities that a decision needs.
     *
     * @return the majorities of the newest configuration that is known
     */
    public Majorities majorities() {
        return view.majorities;
    }

    /** Returns an object that is replaced at each change of this client's knowledge. */
    Object state() {
        return view;
    }

    /**
     * Returns whether the nodes agree on the configuration.
     *
     * @return whether any vote counts
     */
    public boolean isFounded() {
        return view.knowledge == Knowledge.FOUNDED;
    }

    /**
     * Notes the address under which this client reaches a node.
     *
     * @param index the index of the node
     * @param address host and port
     */
    public void reach(int index, String address) {
        lock.lock();
        try {
            seen.remove(index);
            addresses.put(index, address);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that a node has left the list.
     *
     * @param index its index
     */
    public void leave(int index) {
        lock.lock();
        try {
            seen.remove(index);
            addresses.remove(index);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what to tell a node about the configuration: nothing, if the process at this client's address may be
     * another one.
     */
    String knowledgeOf(int index) {
        lock.lock();
        try {
            View now = view;
            boolean another = now.knowledge == Knowledge.FOUNDED && isElsewhere(index, now.configuration);
            return (another ? Knowledge.LOOK : now.knowledge).argument();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what to tell a node about the configuration over a connection to an address: nothing, if the node with
     * that index has another address now, so that a connection that was made late cannot turn another process into a
     * node.
     */
    String knowledgeOf(int index, String address) {
        lock.lock();
        try {
            return address.equals(addresses.get(index)) ? knowledgeOf(index) : Knowledge.LOOK.argument();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the process at this client's address may be another one than the node. That is so, too, where
     * there is no such node any more: the process may have another index now.
     */
    private boolean isElsewhere(int index, Configuration configuration) {
        Optional<ListedNode> node = configuration.node(index);
        return node.isEmpty() || (!seen.contains(index) && !node.get().address().equals(addresses.get(index)));
    }

    /**
     * Returns the address at which to reach a node.
     *
     * @param index the index of the node
     * @param said the record of the connected process; {@code null} if none is connected
     * @return the address of the node if the process is another one, or {@code null}
     */
    public @Nullable String betterAddress(int index, @Nullable BirthRecord said) {
        lock.lock();
        try {
            View now = view;
            boolean waits = said == null && addresses.containsKey(index);
            return now.knowledge != Knowledge.FOUNDED || waits || !isElsewhere(index, now.configuration)
                    ? null
                    : now.configuration.node(index).map(ListedNode::address).orElse(null);
        } finally {
            lock.unlock();
        }
    }

    /** Learns from the record of a node. */
    void note(int index, BirthRecord said) {
        if (!said.isPresent()) {
            return;
        }
        BirthRecord.Listing listing = said.listing();
        Configuration told = listing.configuration();
        lock.lock();
        try {
            View now = view;
            boolean newer = told.revision() > now.configuration.revision();
            if (listing.founded() && (newer || now.knowledge != Knowledge.FOUNDED)) {
                if (!told.agreesWith(now.configuration)) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            "the nodes of this cluster are now " + told.summary() + " (revision " + told.revision()
                                    + "), and no longer " + now.configuration.summary());
                }
                view = new View(told, Knowledge.FOUNDED);
            }
            if (listing.index() == index && (listing.founded() || told.agreesWith(view.configuration))) {
                seen.add(index);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Continues the foundation of a cluster, if it is not complete.
     *
     * @param said the records of the connected nodes, by index
     */
    void found(Map<Integer, BirthRecord> said) {
        lock.lock();
        try {
            View now = view;
            if (now.knowledge == Knowledge.FOUNDED || !said.keySet().containsAll(now.configuration.newList())) {
                return;
            }
            boolean pledged = said.entrySet().stream().allMatch(it -> isPledged(it.getKey(), it.getValue()));
            boolean free = said.entrySet().stream()
                    .allMatch(it -> !it.getValue().isPresent() || isPledged(it.getKey(), it.getValue()));
            if (pledged && now.knowledge == Knowledge.PLEDGE) {
                view = new View(now.configuration, Knowledge.FOUNDED);
            } else if (free) {
                view = new View(now.configuration, Knowledge.PLEDGE);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isPledged(int index, BirthRecord said) {
        return said.isPresent()
                && said.listing().index() == index
                && said.listing().configuration().agreesWith(view.configuration);
    }

    /**
     * Changes the configuration, in the name of an operator.
     *
     * @param next the next one
     */
    public void change(Configuration next) {
        lock.lock();
        try {
            if (next.revision() <= view.configuration.revision()) {
                throw new IllegalStateException("another change has come first: " + view.configuration.summary());
            }
            view = new View(next, Knowledge.FOUNDED);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether a node must be enrolled again, because it does not know all that this client knows, or did not
     * know this client.
     */
    boolean isBehind(int index, BirthRecord said) {
        View now = view;
        if (now.knowledge == Knowledge.LOOK || knowledgeOf(index).equals(Knowledge.LOOK.argument())) {
            return false;
        }
        if (!said.isPresent()) {
            return true;
        }
        BirthRecord.Listing listing = said.listing();
        return listing.configuration().revision() < now.configuration.revision()
                || (listing.index() == index
                        && listing.configuration().agreesWith(now.configuration)
                        && (!listing.enrolled() || (now.knowledge == Knowledge.FOUNDED && !listing.founded())));
    }

    /**
     * Returns why the answers of a node do not count.
     *
     * @param index the index of the node
     * @param said its record
     * @return the reason in words, or {@code null} if it counts
     */
    @Nullable
    String exclusion(int index, BirthRecord said) {
        View now = view;
        BirthRecord.Listing listing = said.listing();
        if (now.configuration.node(index).isEmpty()) {
            return "is no longer one of the nodes, which are " + now.configuration.summary();
        }
        if (now.knowledge != Knowledge.FOUNDED) {
            boolean other = said.isPresent() && !isPledged(index, said);
            return other
                    ? "belongs to another list of nodes, "
                            + listing.configuration().summary()
                            + ", as node " + (listing.index() + 1)
                            + " of it: give all clients the same servers in the same order,"
                            + " and name each once"
                    : "waits until all nodes on the list have been seen once, as is needed before any of them votes";
        }
        if (!said.isPresent() || !listing.enrolled() || listing.index() != index) {
            return said.isPresent() && listing.index() != index
                    ? "is node " + (listing.index() + 1) + " of the list "
                            + listing.configuration().summary()
                            + ", and not node " + (index + 1)
                            + ": give all clients the same servers in the same order, and name each once"
                    : "has not been enrolled yet";
        }
        boolean conflict = listing.configuration().revision() == now.configuration.revision()
                && !listing.configuration().agreesWith(now.configuration);
        return conflict || listing.configuration().revision() > now.configuration.revision()
                ? "knows the list " + listing.configuration().summary() + ", while others know "
                        + now.configuration.summary()
                : null;
    }
}
