// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.Optional;

/** Forwards all calls. Subclasses break a part. */
public class ForwardingProtocol implements LeaseProtocol {
    protected final LeaseProtocol correct;

    protected ForwardingProtocol(LeaseProtocol correct) {
        this.correct = correct;
    }

    @Override
    public Attempt attempt(Claim claim) {
        return correct.attempt(claim);
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        return correct.renew(claims);
    }

    @Override
    public Release release(Claim claim) {
        return correct.release(claim);
    }

    @Override
    public String lane(String name) {
        return correct.lane(name);
    }

    @Override
    public boolean isLocked(String name) {
        return correct.isLocked(name);
    }

    @Override
    public boolean queues() {
        return correct.queues();
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return correct.watch(name, onFreed);
    }

    @Override
    public Optional<ConditionProtocol> conditions() {
        return correct.conditions();
    }

    @Override
    public Optional<ReadWriteProtocol> readWrite() {
        return correct.readWrite();
    }

    @Override
    public void close() {
        correct.close();
    }
}
