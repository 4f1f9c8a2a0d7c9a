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
    private volatile @Nullable LockBackendException clash;

    /** @param births the birth records; {@code null} where servers are trusted */
    Quorum(
            List<RedlockProtocol.Server> servers,
            Settings settings,
            @Nullable Births births,
            Duration timeout,
            Environment env) {
        this.births = births;
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
