// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.specimens.SetnxExpireStrategyProvider;

/** Starts peers from a JVM of its own, which may have the kit on its module path. */
final class PeerStart {
    private PeerStart() {}

    /**
     * Starts as many peers as it is told, one after the other, and prints what each holds and how long it took to
     * start.
     */
    public static void main(String[] args) throws Exception {
        try (RedisHarness harness =
                RedisHarness.of(new SetnxExpireStrategyProvider()).open()) {
            harness.config();
            System.out.println("module " + Peer.class.getModule());
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                long start = System.nanoTime();
                try (Peer peer = Peer.start(harness.provider(), harness.config())) {
                    long millis = (System.nanoTime() - start) / 1_000_000;
                    System.out.println("tryLock " + peer.tryLock("name " + i) + " after " + millis + " ms");
                }
            }
        }
    }
}
