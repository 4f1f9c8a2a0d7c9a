// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.joint.Majorities;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, by index: who is a majority, whether each is another process, and who knows of whom. Nodes come and go with the
 * configuration that the nodes tell of; one that has left keeps its index, and answers nothing any more. Safe to use from any thread.
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

    /** Returns the servers that are asked now. */
    List<RedisNode> nodes() {
        List<QuorumNode> now = all;
        return IntStream.range(0, now.size())
                .filter(this::isListed)
                .mapToObj(index -> now.get(index).node())
                .toList();
    }

    /** Returns whether an index is of a node that counts for something. */
    boolean isListed(int index) {
        return majority().concern(index);
    }

    Majorities majority() {
        return births == null ? fixed : births.electorate().majorities();
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

    /** Follows the configuration, and tells nodes what they do not know: of that, and which processes are in the places of others. */
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

    /** Connects to the nodes that the configuration names, and leaves those that it does not. */
    private void follow(Births told) {
        List<QuorumNode> left = new ArrayList<>();
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
        } finally {
            lock.unlock();
        }
        left.stream().filter(node -> !node.line().isClosed()).forEach(QuorumNode::close);
        onSession();
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
