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
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that this client goes by: that of its configuration file until nodes tell of another one. Safe to use from any
 * thread.
 */
public final class Electorate {
    private static final System.Logger LOG = System.getLogger(Electorate.class.getPackageName());

    private final ReentrantLock lock = new ReentrantLock();

    /** Under which address this client reaches the node with an index. */
    private final Map<Integer, String> addresses = new HashMap<>();

    /** The indexes of nodes that were seen at the address of this client. */
    private final Set<Integer> seen = new HashSet<>();

    private volatile View view;

    /** What a client knows of its configuration. */
    private enum Knowledge {
        /** It is that of the file. Nodes are looked at, and not changed. */
        LOOK,
        /** No node has another one. */
        PLEDGE,
        /** All of its nodes have it, or once had. */
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
     * Returns what is needed for a decision.
     *
     * @return the majorities of the newest configuration that is known
     */
    public Majorities majorities() {
        return view.majorities;
    }

    /** Returns an object that is another one after each change of what this client knows. */
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
     * Notes under which address this client reaches a node.
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
     * Notes that a node is none of the nodes any more.
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

    /** Returns what a node is told of the configuration: nothing, if the process at this client's address may be another one. */
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

    private boolean isElsewhere(int index, Configuration configuration) {
        return !seen.contains(index)
                && configuration
                        .node(index)
                        .filter(node -> node.address().equals(addresses.get(index)))
                        .isEmpty();
    }

    /**
     * Returns where to look for a node.
     *
     * @param index the index of the node
     * @param said what the process has said that is connected; {@code null} if none is
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

    /** Learns what a node knows. */
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
     * Goes on with the foundation of a cluster, if that is to be done.
     *
     * @param said what the nodes have said that are connected, by index
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

    /** Returns whether a node is to be enrolled, since it does not know all that this client knows, or this client was not known to it. */
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
     * Returns why what a node says does not count.
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
