// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.ServerStatus;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.joint.Majorities;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, by index: which of them are a majority, whether each is a process of its own, and which knows of which.
 * The nodes themselves tell the configuration, and with it nodes join and leave. A node that has left keeps its index
 * and is not asked any more. Safe to use from any thread.
 */
final class Quorum implements QuorumNode.Events {
    private final RedlockProtocol.Joining joining;
    private final Settings settings;
    private final @Nullable Births births;
    private final Duration timeout;
    private final Environment env;
    private final Majorities fixed;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile List<QuorumNode> all;
    private volatile Runnable onChange = () -> {};
    private @Nullable Configuration followed;
    private volatile @Nullable LockBackendException clash;
    private boolean closed;

    /** @param births the birth records; {@code null} where servers are trusted */
    Quorum(
            List<RedlockProtocol.Server> servers,
            RedlockProtocol.Joining joining,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Environment env) {
        this.joining = joining;
        this.settings = settings;
        this.births = births;
        this.timeout = timeout;
        this.env = env;
        this.fixed = Configuration.founding(
                        servers.stream().map(RedlockProtocol.Server::address).toList())
                .majorities();
        List<QuorumNode> nodes = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            nodes.add(newNode(i, servers.get(i)));
        }
        this.all = List.copyOf(nodes);
    }

    private QuorumNode newNode(int index, RedlockProtocol.Server server) {
        return new QuorumNode(env, index, server, settings, births, timeout, this);
    }

    /** Returns how many indexes there are; some may be of nodes that have left. */
    int size() {
        return all.size();
    }

    QuorumNode get(int index) {
        return all.get(index);
    }

    List<QuorumNode> all() {
        return all;
    }

    /** Returns whether the index belongs to a node of the present list, or of the old one during a change. */
    boolean isListed(int index) {
        return majority().concern(index);
    }

    /** Returns the status of each listed node. */
    List<ServerStatus> states() {
        List<QuorumNode> now = all;
        return IntStream.range(0, now.size())
                .filter(this::isListed)
                .mapToObj(i -> now.get(i).state())
                .toList();
    }

    Majorities majority() {
        return births == null ? fixed : births.electorate().majorities();
    }

    /** Registers an action that runs after each change of the list. */
    void onChange(Runnable action) {
        onChange = action;
    }

    /** Returns the present lead of a lock, the node that keeps its queue: the first that votes. */
    int lead(String name) {
        Majorities majorities = majority();
        int lead = first(name, majorities, this::mayLead);
        return lead >= 0 ? lead : Math.max(0, first(name, majorities, node -> node < size()));
    }

    /**
     * Returns the node with the highest rank for a lock among those that meet a condition, or a negative number if none
     * does. Nodes have a rank of their own for each name, so that a node that joins or leaves changes the leads of its
     * own names only. While the list changes, a node that leaves is no lead any more: its waiters can still be told,
     * and move.
     */
    static int first(String name, Majorities majorities, IntPredicate condition) {
        int last = majorities.lists() - 1;
        int first = -1;
        for (int i = 0; i < majorities.size(last); i++) {
            int node = majorities.node(last, i);
            if ((first < 0 || rank(name, node) > rank(name, first)) && condition.test(node)) {
                first = node;
            }
        }
        return first;
    }

    private static int rank(String name, int node) {
        int mixed = (name.hashCode() + 0x9E3779B9 * (node + 1)) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }

    /**
     * Returns whether a node votes, answers, and does not leave. It may be slow for a while, since a change of the lead
     * loses the order of the waiters.
     */
    boolean mayLead(int node) {
        if (node >= size() || !majority().remains(node)) {
            return false;
        }
        Session session = all.get(node).line().session();
        long now = env.nanoTime();
        return session != null
                && !session.hasSuccessor()
                && all.get(node).keepsQueues(now)
                && session.owingNanos(now) <= all.get(node).leadSilenceNanos()
                && session.asideNanos(Request.Kind.VOTE, now) <= 0;
    }

    /** Returns what is wrong if two endpoints lead to one process, which would have two votes. */
    @Nullable
    LockBackendException clash() {
        if (clash != null) {
            // No request is sent meanwhile that would show that one of the connections has ended.
            all.forEach(node -> node.line().look());
        }
        return clash;
    }

    /** Like {@link #clash}, but among the nodes that have voted: a connection may be newer than the last check. */
    @Nullable
    LockBackendException clashOfVoters() {
        onSession();
        return clash();
    }

    @Override
    public void onSession() {
        lock.lock();
        try {
            clash = findClash();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable LockBackendException findClash() {
        List<QuorumNode> now = all;
        for (int i = 0; i < now.size(); i++) {
            String runId = now.get(i).runId();
            for (int j = 0; j < i; j++) {
                if (!runId.isEmpty() && runId.equals(now.get(j).runId())) {
                    return new LockBackendException(
                            Reason.REFUSED,
                            now.get(j).name() + " and " + now.get(i).name()
                                    + " are one and the same server, which can vote only once: name each server once");
                }
            }
        }
        return null;
    }

    /**
     * Follows the configuration, and tells nodes what they do not know: the configuration, and which processes replaced
     * others.
     */
    @Override
    public void onRecord() {
        if (births == null) {
            return;
        }
        follow(births);
        List<QuorumNode> now = all;
        List<@Nullable Eligibility> connected = new ArrayList<>();
        now.forEach(node -> connected.add(node.eligibility()));
        births.spread(connected).forEach(index -> now.get(index).enrol());
    }

    /** Connects to the nodes in the configuration, and disconnects from others. */
    private void follow(Births told) {
        List<QuorumNode> left = new ArrayList<>();
        boolean changed;
        lock.lock();
        try {
            if (closed || !told.electorate().isFounded()) {
                return;
            }
            Configuration configuration = told.electorate().configuration();
            List<QuorumNode> next = new ArrayList<>(all);
            int highest = configuration.nodes().stream()
                    .mapToInt(ListedNode::index)
                    .max()
                    .orElse(0);
            while (next.size() <= highest) {
                next.add(vacant(next.size()));
            }
            for (int i = 0; i < next.size(); i++) {
                QuorumNode node = next.get(i);
                String address = told.addressFor(i, node.eligibility());
                if (configuration.node(i).isEmpty()) {
                    told.electorate().leave(i);
                    left.add(node);
                } else if (address != null) {
                    left.add(node);
                    told.electorate().reach(i, address);
                    next.set(i, newNode(i, joining.join(address)));
                }
            }
            all = List.copyOf(next);
            changed = !configuration.equals(followed);
            followed = configuration;
        } finally {
            lock.unlock();
        }
        left.stream().filter(node -> !node.line().isClosed()).forEach(QuorumNode::close);
        onSession();
        if (changed) {
            onChange.run();
        }
    }

    private QuorumNode vacant(int index) {
        return newNode(index, joining.join("localhost:1"));
    }

    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        all.stream().filter(node -> !node.line().isClosed()).forEach(QuorumNode::close);
    }
}
