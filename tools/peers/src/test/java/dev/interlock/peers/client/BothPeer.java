// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;

/** Two locks that are taken one after the other, always in the same order, while a fleet goes from one to the other. */
final class BothPeer implements Peer {
    private final Peer first;
    private final Peer second;

    BothPeer(Peer first, Peer second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        if (!first.acquire(lease, wait)) {
            return false;
        }
        if (second.acquire(lease, wait)) {
            return true;
        }
        first.release();
        return false;
    }

    @Override
    public void lock(Duration lease) {
        first.lock(lease);
        second.lock(lease);
    }

    @Override
    public boolean release() {
        boolean released = second.release();
        return first.release() && released;
    }

    @Override
    public boolean extend(Duration lease) {
        return first.extend(lease) && second.extend(lease);
    }

    @Override
    public void close() {
        second.close();
        first.close();
    }
}
