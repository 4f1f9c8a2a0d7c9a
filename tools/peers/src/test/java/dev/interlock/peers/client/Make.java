// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The locks that run in a JVM. */
public enum Make {
    /** Ours, under a plain key. */
    OURS,
    /** Ours, in the format of Redisson. */
    OURS_AS_REDISSON,
    /** Ours, in the format of Redisson, and then ours under keys of our own. */
    OURS_AS_REDISSON_AND_OWN,
    /** Ours, under keys of our own. */
    OURS_OWN,
    SPRING_SPIN,
    SPRING_PUB_SUB,
    SHEDLOCK,
    LOCK4J,
    REDISSON,
    HOME_MADE;

    public boolean isOurs() {
        return switch (this) {
            case OURS, OURS_AS_REDISSON, OURS_AS_REDISSON_AND_OWN, OURS_OWN -> true;
            default -> false;
        };
    }

    /** Returns whether the lock has a call that extends its lease. */
    public boolean extendsLeases() {
        return this != LOCK4J && this != REDISSON;
    }

    /**
     * Opens a client.
     *
     * @param wire where a plain key is
     * @param ports the ports of the servers, separated by commas; of one server but for {@link #OURS}
     */
    public Peer open(PeerWire wire, String ports) {
        return switch (this) {
            case OURS -> new OurPeer(wire.factory(ports));
            case OURS_AS_REDISSON -> new OurPeer(factory("redisson", ports));
            case OURS_AS_REDISSON_AND_OWN ->
                new BothPeer(OURS_AS_REDISSON.open(wire, ports), OURS_OWN.open(wire, ports));
            case OURS_OWN -> new OurPeer(factory("set-nx-px", ports));
            case SPRING_SPIN -> new SpringPeer(Integer.parseInt(ports), RedisLockType.SPIN_LOCK, PeerWire.NAME);
            case SPRING_PUB_SUB -> new SpringPeer(Integer.parseInt(ports), RedisLockType.PUB_SUB_LOCK, PeerWire.NAME);
            case SHEDLOCK -> new ShedLockPeer(Integer.parseInt(ports), PeerWire.NAME);
            case LOCK4J -> new Lock4jPeer(Integer.parseInt(ports), PeerWire.NAME);
            case REDISSON -> new RedissonPeer(Integer.parseInt(ports), PeerWire.NAME);
            case HOME_MADE -> new HomeMadePeer(Integer.parseInt(ports), PeerWire.NAME);
        };
    }

    private static DistributedLockFactory factory(String strategy, String port) {
        return DistributedLocks.getInstance(
                strategy,
                LockConfig.of("redis://127.0.0.1:" + port).toBuilder()
                        .commandTimeout(PeerWire.PATIENCE)
                        .build());
    }
}
