// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.peers.client.Make;
import dev.interlock.peers.client.Peer;
import dev.interlock.peers.client.PeerWire;
import dev.interlock.redis.inspect.PeerFormat;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.TestReporter;

/** The lock clients of other makes that run here. */
enum PeerKind {
    REDIS_PY("redis-py Lock (Python)", PeerWire.NAME_ALONE, PeerFormat.REDIS_PY, WakeUp.POLLS),
    NODE_REDLOCK_4("redlock 4 (Node.js)", PeerWire.NAME_ALONE, PeerFormat.NODE_REDLOCK, WakeUp.POLLS),
    NODE_REDLOCK_5("redlock 5 (Node.js)", PeerWire.NAME_ALONE, PeerFormat.NODE_REDLOCK, WakeUp.POLLS),
    NODE_REDLOCK_5_OF_THREE("redlock 5, three servers", PeerWire.REDLOCK, PeerFormat.NODE_REDLOCK, WakeUp.POLLS),
    NODE_REDLOCK_UNIVERSAL("redlock-universal (Node.js)", PeerWire.NAME_ALONE, PeerFormat.NODE_REDLOCK, WakeUp.POLLS),
    NODE_REDLOCK_UNIVERSAL_OF_THREE(
            "redlock-universal, three servers", PeerWire.REDLOCK, PeerFormat.NODE_REDLOCK, WakeUp.POLLS),
    SPRING_SPIN("Spring Integration, SPIN_LOCK (Java)", PeerWire.SPRING, PeerFormat.SPRING_REGISTRY, WakeUp.POLLS),
    SPRING_PUB_SUB(
            "Spring Integration, PUB_SUB_LOCK (Java)",
            PeerWire.SPRING_ANNOUNCED,
            PeerFormat.SPRING_REGISTRY,
            WakeUp.TOLD),
    SHEDLOCK("ShedLock with safeUpdate (Java)", PeerWire.SHEDLOCK, PeerFormat.SHEDLOCK, WakeUp.NEVER_WAITS),
    LOCK4J("lock4j (Java)", PeerWire.LOCK4J, PeerFormat.LOCK4J, WakeUp.POLLS);

    /** Its row in the table on the page about wires. */
    final String title;

    final PeerWire wire;
    final PeerFormat format;
    final WakeUp wakeUp;

    PeerKind(String title, PeerWire wire, PeerFormat format, WakeUp wakeUp) {
        this.title = title;
        this.wire = wire;
        this.format = format;
        this.wakeUp = wakeUp;
    }

    /** How many servers the lock is on. */
    int servers() {
        return wire == PeerWire.REDLOCK ? 3 : 1;
    }

    /** Returns whether the client has a call for it. */
    boolean offers(Property property) {
        return switch (property) {
            case EXTENSION -> this != LOCK4J;
            case WAKE_UP -> wakeUp != WakeUp.NEVER_WAITS;
            default -> true;
        };
    }

    /** Returns whether a release that finds another one's lock is told from one that has freed the lock. */
    boolean tellsLosses() {
        return this != SHEDLOCK;
    }

    /** Starts a client; aborts the test if this machine lacks what it needs. */
    Peer start(String ports, String name, Path history, TestReporter reporter) {
        return make().isPresent() ? make().get().open(wire, ports) : process(ports, name, history, reporter);
    }

    /** Starts a client in a process of its own. */
    ClientProcess process(String ports, String name, Path history, TestReporter reporter) {
        return switch (this) {
            case NODE_REDLOCK_4 -> Interpreters.node("redlock4", ports, wire.key(), name, history, reporter);
            case NODE_REDLOCK_5, NODE_REDLOCK_5_OF_THREE ->
                Interpreters.node("redlock5", ports, wire.key(), name, history, reporter);
            case NODE_REDLOCK_UNIVERSAL, NODE_REDLOCK_UNIVERSAL_OF_THREE ->
                Interpreters.node("redlock-universal", ports, wire.key(), name, history, reporter);
            case REDIS_PY -> Interpreters.python(ports, wire.key(), name, history, reporter);
            default -> LockProcess.start(make().orElseThrow(), wire, ports, name, history);
        };
    }

    /** What it is called among those that run in a JVM, if it does. */
    private Optional<Make> make() {
        return switch (this) {
            case SPRING_SPIN -> Optional.of(Make.SPRING_SPIN);
            case SPRING_PUB_SUB -> Optional.of(Make.SPRING_PUB_SUB);
            case SHEDLOCK -> Optional.of(Make.SHEDLOCK);
            case LOCK4J -> Optional.of(Make.LOCK4J);
            default -> Optional.empty();
        };
    }
}
