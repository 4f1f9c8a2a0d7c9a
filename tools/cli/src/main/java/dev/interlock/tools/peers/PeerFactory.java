// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.spi.StrategyProfile;
import org.jspecify.annotations.Nullable;

/** A client of another library that connects when its first lock is acquired. */
final class PeerFactory implements DistributedLockFactory {
    private final PeerProvider peer;
    private final LockConfig config;
    private @Nullable PeerClient client;
    private boolean closed;

    PeerFactory(PeerProvider peer, LockConfig config) {
        this.peer = peer;
        this.config = config;
    }

    @Override
    public String strategy() {
        return peer.name();
    }

    @Override
    public StrategyProfile profile() {
        return peer.profile();
    }

    synchronized PeerClient client() {
        if (closed) {
            throw new IllegalStateException("this client of " + peer.name() + " is closed");
        }
        if (client == null) {
            client = peer.connect(config);
        }
        return client;
    }

    @Override
    public DistributedLock getLock(String name) {
        return new PeerLock(this, name, config.lockDefaults().lease());
    }

    /** Ignores the options: the client as a whole has options, its locks have none of their own. */
    @Override
    public DistributedLock getLock(String name, LockOptions options) {
        return getLock(name);
    }

    @Override
    public void close() {
        PeerClient open;
        synchronized (this) {
            closed = true;
            open = client;
            client = null;
        }
        if (open != null) {
            open.close();
        }
    }
}
