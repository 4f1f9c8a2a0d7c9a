// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The faults of all servers of a harness at once. */
final class RedisFaults implements FaultInjector {
    private final Supplier<List<Node>> nodes;
    private final Supplier<List<Node>> running;
    private final Set<Fault> supported;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Creates the faults.
     *
     * @param nodes returns all nodes, and starts the servers if they do not run yet
     * @param running returns only the nodes that run
     */
    RedisFaults(Supplier<List<Node>> nodes, Supplier<List<Node>> running, Set<Fault> supported) {
        this.nodes = nodes;
        this.running = running;
        this.supported = supported;
    }

    @Override
    public Set<Fault> supported() {
        return EnumSet.copyOf(supported);
    }

    @Override
    public void inject(Fault fault) {
        if (!supported.contains(fault)) {
            throw new UnsupportedOperationException(fault + " would hurt servers that others use");
        }
        lock.lock();
        try {
            nodes.get().forEach(node -> node.inject(fault));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasLostReply() {
        lock.lock();
        try {
            return running.get().stream().anyMatch(Node::hasLostReply);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void heal() {
        lock.lock();
        try {
            running.get().forEach(Node::heal);
        } finally {
            lock.unlock();
        }
    }
}
