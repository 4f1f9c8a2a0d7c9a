// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A client of a {@link MemoryServer}. */
public class MemoryProtocol implements LeaseProtocol, ConditionProtocol {
    private final MemoryServer server;
    private final Duration timeout;

    public MemoryProtocol(MemoryServer server, Duration timeout) {
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
    public Optional<ConditionProtocol> conditions() {
        return Optional.of(this);
    }

    @Override
    public Watch listen(Claim waiter, Runnable onChange) {
        server.listen(waiter, onChange);
        return () -> server.unlisten(waiter);
    }

    @Override
    public Release await(Claim held, Claim waiter, boolean releases) {
        return server.request(timeout, () -> server.await(held, waiter, releases));
    }

    @Override
    public boolean isTold(Claim waiter) {
        return server.isTold(waiter);
    }

    @Override
    public Place look(Claim waiter) {
        return server.request(timeout, () -> server.look(waiter));
    }

    @Override
    public Place leave(Claim waiter, boolean passesOn) {
        return server.request(timeout, () -> server.leave(waiter, passesOn));
    }

    @Override
    public void adopt(Claim held, Claim waiter) {
        server.request(timeout, () -> {
            server.confirm(waiter);
            return true;
        });
    }

    @Override
    public Optional<LossCause> signal(Claim held, String condition, boolean all) {
        return server.request(timeout, () -> server.signal(held, condition, all));
    }

    @Override
    public Optional<ReadWriteProtocol> readWrite() {
        return Optional.of(new MemoryReadWriteProtocol(server, timeout));
    }

    @Override
    public void close() {}
}
