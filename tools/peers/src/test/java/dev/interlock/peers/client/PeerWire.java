// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/** How a lock of ours has to be configured so that some peers use the same key. */
public enum PeerWire {
    /** The name as it is: clients for which a key is what their caller says. */
    NAME_ALONE(""),
    SPRING(SpringPeer.REGISTRY + ":"),
    /** The same, for those who wait until they are told of a release. */
    SPRING_ANNOUNCED(SpringPeer.REGISTRY + ":"),
    SHEDLOCK(ShedLockPeer.PREFIX),
    LOCK4J(Lock4jPeer.PREFIX),
    HOME_MADE(HomeMadePeer.PREFIX),
    /** The name as it is, on each of several servers. */
    REDLOCK("");

    public static final String NAME = "orders";

    /** No test is to end because a busy machine was slow to answer. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String prefix;

    PeerWire(String prefix) {
        this.prefix = prefix;
    }

    public String key() {
        return prefix + NAME;
    }

    /** @param ports the ports of the servers, separated by commas */
    public DistributedLockFactory factory(String ports) {
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(Arrays.stream(ports.split(","))
                        .map(port -> "redis://127.0.0.1:" + port)
                        .collect(Collectors.joining(",")))
                .commandTimeout(PATIENCE)
                .option("wire", "plain");
        if (!prefix.isEmpty()) {
            config.option("wire-prefix", prefix);
        }
        if (this == SPRING_ANNOUNCED) {
            config.option("wire-announce", SpringPeer.REGISTRY + "-channel:{key}");
        }
        if (this == REDLOCK) {
            config.option("cold-start", "trust").option("node-timeout", "5s");
            return DistributedLocks.getInstance("redlock", config.build());
        }
        return DistributedLocks.getInstance("set-nx-px", config.build());
    }
}
