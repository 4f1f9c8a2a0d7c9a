// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.Fault;
import dev.interlock.conformance.FaultInjector;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The faults of all servers of a harness at once. */
final class RedisFaults implements FaultInjector {
    private final List<Node> nodes;
    private final Set<Fault> supported;
    private final ReentrantLock lock = new ReentrantLock();

    RedisFaults(List<Node> nodes, Set<Fault> supported) {
        this.nodes = nodes;
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
            nodes.forEach(node -> node.inject(fault));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void heal() {
        lock.lock();
        try {
            nodes.forEach(Node::heal);
        } finally {
            lock.unlock();
        }
    }
}
