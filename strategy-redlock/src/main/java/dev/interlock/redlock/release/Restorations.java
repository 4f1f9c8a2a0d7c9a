// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.engine.protocol.Claim;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Keeps requests that restore keys from being sent after the release of the lock. A lock may be released while a
 * renewal finds its key missing on a node, and a key that was set there after the release would stay for a lease. Safe
 * to use from any thread.
 */
public final class Restorations {
    private final ReentrantLock lock = new ReentrantLock();

    /** The numbers of the claims whose keys may be restored: they are being renewed, and were not given up since. */
    private final Set<Long> renewing = new HashSet<>();

    /**
     * Notes that claims are about to be renewed.
     *
     * @param claims the claims
     */
    public void begin(Collection<Claim> claims) {
        lock.lock();
        try {
            claims.forEach(claim -> renewing.add(claim.number()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that the renewal of claims has ended, or that they are about to be released or passed on.
     *
     * @param claims the claims
     */
    public void end(Collection<Claim> claims) {
        lock.lock();
        try {
            if (!renewing.isEmpty()) {
                claims.forEach(claim -> renewing.remove(claim.number()));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a request for those claims whose keys may be restored. If {@link #end} is called for one of them meanwhile,
     * it returns after the request was sent.
     *
     * @param claims the claims
     * @param send sends the request; not called if no claim is left
     */
    public void send(List<Claim> claims, Consumer<List<Claim>> send) {
        lock.lock();
        try {
            List<Claim> left = claims.stream()
                    .filter(claim -> renewing.contains(claim.number()))
                    .toList();
            if (!left.isEmpty()) {
                send.accept(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
