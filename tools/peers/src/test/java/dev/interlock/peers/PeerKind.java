// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import java.nio.file.Path;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The lock clients of other makes that run here. */
enum PeerKind {
    NODE_REDLOCK_4(Wire.NAME_ALONE),
    NODE_REDLOCK_5(Wire.NAME_ALONE),
    NODE_REDLOCK_UNIVERSAL(Wire.NAME_ALONE),
    REDIS_PY(Wire.NAME_ALONE),
    SPRING_SPIN(Wire.SPRING),
    SPRING_PUB_SUB(Wire.SPRING),
    SHEDLOCK(Wire.SHEDLOCK),
    NODE_REDLOCK_5_OF_THREE(Wire.REDLOCK),
    NODE_REDLOCK_UNIVERSAL_OF_THREE(Wire.REDLOCK);

    final Wire wire;

    PeerKind(Wire wire) {
        this.wire = wire;
    }

    /** How many servers the lock is on. */
    int servers() {
        return wire == Wire.REDLOCK ? 3 : 1;
    }

    /** Returns whether a release that finds another one's lock is told from one that has freed the lock. */
    boolean tellsLosses() {
        return this != SHEDLOCK;
    }

    /** Starts a client; aborts the test if this machine lacks what it needs. */
    Peer start(String ports, String name, Path history) {
        return switch (this) {
            case SPRING_SPIN -> new SpringPeer(Integer.parseInt(ports), RedisLockType.SPIN_LOCK, Wire.NAME);
            case SPRING_PUB_SUB -> new SpringPeer(Integer.parseInt(ports), RedisLockType.PUB_SUB_LOCK, Wire.NAME);
            case SHEDLOCK -> new ShedLockPeer(Integer.parseInt(ports), Wire.NAME);
            default -> process(ports, name, history);
        };
    }

    /** Starts a client in a process of its own. */
    PeerProcess process(String ports, String name, Path history) {
        return switch (this) {
            case NODE_REDLOCK_4 -> Interpreters.node("redlock4", ports, wire.key(), name, history);
            case NODE_REDLOCK_5, NODE_REDLOCK_5_OF_THREE ->
                Interpreters.node("redlock5", ports, wire.key(), name, history);
            case NODE_REDLOCK_UNIVERSAL, NODE_REDLOCK_UNIVERSAL_OF_THREE ->
                Interpreters.node("redlock-universal", ports, wire.key(), name, history);
            case REDIS_PY -> Interpreters.python(ports, wire.key(), name, history);
            default -> throw new IllegalStateException(this + " runs in this process");
        };
    }
}
