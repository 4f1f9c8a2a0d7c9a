// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.List;

/** A client of the read/write locks of a {@link MemoryServer}. */
final class MemoryReadWriteProtocol implements ReadWriteProtocol {
    private final MemoryServer server;
    private final Duration timeout;

    MemoryReadWriteProtocol(MemoryServer server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    @Override
    public Attempt attempt(SideClaim asked) {
        try {
            return server.request(timeout, () -> server.readWrite().attempt(asked));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    @Override
    public List<Renewal> renew(List<SideClaim> claims) {
        try {
            return server.request(
                    timeout,
                    () -> claims.stream().map(server.readWrite()::renew).toList());
        } catch (LockBackendException e) {
            return claims.stream().map(claim -> (Renewal) new Renewal.Failed(e)).toList();
        }
    }

    @Override
    public Release release(SideClaim given) {
        return server.request(timeout, () -> server.readWrite().release(given));
    }

    @Override
    public void releaseAll(List<SideClaim> claims) {
        claims.forEach(this::release);
    }

    @Override
    public boolean isLocked(LockSide side) {
        return server.request(timeout, () -> server.readWrite().isLocked(side));
    }

    @Override
    public Watch watch(LockSide side, Runnable onTurn) {
        MemoryServer.Listener listener = new MemoryServer.Listener() {
            @Override
            public String name() {
                return side.key();
            }

            @Override
            public void freed() {
                onTurn.run();
            }

            @Override
            public void connectionLost() {
                server.listen(this);
                onTurn.run();
            }
        };
        server.listen(listener);
        return () -> server.unlisten(listener);
    }
}
