// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** All nodes: how many are a majority, whether each is another process, and who knows of whom. Safe to use from any thread. */
final class Quorum implements QuorumNode.Events {
    private final List<QuorumNode> all;
    private final @Nullable Births births;
    private final ReentrantLock lock = new ReentrantLock();
    private final Environment env;
    private final long leadSilenceNanos;
    private volatile @Nullable LockBackendException clash;

    /** @param births the birth records; {@code null} where servers are trusted */
    Quorum(
            List<RedlockProtocol.Server> servers,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Environment env) {
        this.env = env;
        this.births = births;
        this.leadSilenceNanos = settings.leadSilenceNanos();
        List<QuorumNode> nodes = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            nodes.add(new QuorumNode(env, i, servers.get(i), settings, births, timeout, this));
        }
        this.all = List.copyOf(nodes);
    }

    int size() {
        return all.size();
    }

    QuorumNode get(int index) {
        return all.get(index);
    }

    List<QuorumNode> all() {
        return all;
    }

    int majority() {
        return all.size() / 2 + 1;
    }

    /** Returns the lead of a lock if all nodes vote, which depends on the name alone. */
    static int home(String name, int nodes) {
        int hash = name.hashCode();
        return Math.floorMod(hash ^ hash >>> 16, nodes);
    }

    /** Returns the lead of a lock now, where those who wait for it stand in a queue: the first that votes. */
    int lead(String name) {
        int home = home(name, all.size());
        for (int i = 0; i < all.size(); i++) {
            int node = (home + i) % all.size();
            if (mayLead(node)) {
                return node;
            }
        }
        return home;
    }

    /** Whether a node votes and answers. It may be slow for a while, since a change of leads costs the order of those who wait. */
    boolean mayLead(int node) {
        Session session = all.get(node).line().session();
        long now = env.nanoTime();
        return session != null
                && !session.hasSuccessor()
                && session.owingNanos(now) <= leadSilenceNanos
                && session.asideNanos(Request.Kind.VOTE, now) <= 0;
    }

    /** For how long a lead may owe an answer. */
    long leadSilenceNanos() {
        return leadSilenceNanos;
    }

    /** Returns what is wrong if two endpoints lead to one process, which would have two votes. */
    @Nullable
    LockBackendException clash() {
        if (clash != null) {
            // Nobody is asked meanwhile who could notice that one of the connections has ended.
            all.forEach(node -> node.line().look());
        }
        return clash;
    }

    /** The same, among those who have voted by now: a connection may have been made since somebody last looked. */
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
        for (int i = 0; i < all.size(); i++) {
            String runId = all.get(i).runId();
            for (int j = 0; j < i; j++) {
                if (!runId.isEmpty() && runId.equals(all.get(j).runId())) {
                    return new LockBackendException(
                            Reason.REFUSED,
                            all.get(j).name() + " and " + all.get(i).name()
                                    + " are one and the same server, which can vote only once: name each server once");
                }
            }
        }
        return null;
    }

    /** Tells nodes which processes are in the places of others, as far as they do not know. */
    @Override
    public void onRecord() {
        if (births == null) {
            return;
        }
        List<@Nullable Eligibility> connected = new ArrayList<>();
        all.forEach(node -> connected.add(node.eligibility()));
        births.spread(connected).forEach(index -> all.get(index).enrol());
    }

    void close() {
        all.forEach(QuorumNode::close);
    }
}
