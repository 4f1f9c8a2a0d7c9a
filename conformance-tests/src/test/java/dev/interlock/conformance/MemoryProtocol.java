// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.LockBackendException;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.List;

/** A client of a {@link MemoryServer}. */
class MemoryProtocol implements LeaseProtocol {
    private final MemoryServer server;
    private final Duration timeout;

    MemoryProtocol(MemoryServer server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    @Override
    public Attempt attempt(Claim claim) {
        try {
            return server.request(timeout, () -> server.attempt(claim));
        } catch (LockBackendException e) {
            return new Attempt.Failed(e);
        }
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        try {
            return server.request(
                    timeout, () -> claims.stream().map(server::renew).toList());
        } catch (LockBackendException e) {
            return claims.stream().map(claim -> (Renewal) new Renewal.Failed(e)).toList();
        }
    }

    @Override
    public Release release(Claim claim) {
        return server.request(timeout, () -> server.release(claim));
    }

    @Override
    public boolean isLocked(String name) {
        return server.request(timeout, () -> server.live(name) != null);
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        MemoryServer.Listener listener = new MemoryServer.Listener() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void freed() {
                onFreed.run();
            }

            @Override
            public void connectionLost() {
                server.listen(this);
                onFreed.run();
            }
        };
        server.listen(listener);
        onFreed.run();
        return () -> server.unlisten(listener);
    }

    @Override
    public void close() {}
}
