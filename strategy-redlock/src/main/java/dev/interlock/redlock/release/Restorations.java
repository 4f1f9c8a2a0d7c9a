// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import dev.interlock.engine.protocol.Claim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Keeps this client from sending a request that restores a key after the release of the lock. A lock may be released
 * while a renewal finds its key missing on a node, and a key that was set there after the release would stay for a
 * lease. Safe to use from any thread.
 *
 * <p>A lock that is passed on is released by another client, so a request that was sent before the pass may arrive
 * after that release. Then the key stays for a lease at a minority of the nodes, and never at the lead, which has
 * carried out the request before the pass.
 */
public final class Restorations {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Permit> permits = new ArrayList<>();

    /** The numbers of the claims that are being released or passed on. */
    private final Set<Long> releasing = new HashSet<>();

    /** The permit of one renewal to restore keys of its claims, until it is closed. */
    public final class Permit implements AutoCloseable {
        /** The numbers of the claims that nobody has begun to give up. */
        private final Set<Long> kept = new HashSet<>();

        private Permit() {}

        /**
         * Sends a request for those claims whose keys may be restored. Whoever begins to release one of them meanwhile
         * waits until the request is sent.
         *
         * @param claims the claims
         * @param send sends the request; not called if no claim is left
         */
        public void restore(List<Claim> claims, Consumer<List<Claim>> send) {
            lock.lock();
            try {
                List<Claim> left = claims.stream()
                        .filter(claim -> kept.contains(claim.number()))
                        .toList();
                if (!left.isEmpty()) {
                    send.accept(left);
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                permits.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Gives a renewal the permit to restore keys.
     *
     * @param claims the claims that are about to be renewed
     * @return the permit
     */
    public Permit permit(Collection<Claim> claims) {
        Permit permit = new Permit();
        lock.lock();
        try {
            for (Claim claim : claims) {
                if (!releasing.contains(claim.number())) {
                    permit.kept.add(claim.number());
                }
            }
            permits.add(permit);
        } finally {
            lock.unlock();
        }
        return permit;
    }

    /**
     * Notes that claims are about to be released or passed on.
     *
     * @param claims the claims
     */
    public void beginRelease(Collection<Claim> claims) {
        lock.lock();
        try {
            for (Claim claim : claims) {
                releasing.add(claim.number());
                permits.forEach(permit -> permit.kept.remove(claim.number()));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that the release of claims was sent, or has failed.
     *
     * @param claims the claims
     */
    public void endRelease(Collection<Claim> claims) {
        lock.lock();
        try {
            claims.forEach(claim -> releasing.remove(claim.number()));
        } finally {
            lock.unlock();
        }
    }
}
