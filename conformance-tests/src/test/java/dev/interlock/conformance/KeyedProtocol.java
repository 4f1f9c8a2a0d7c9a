// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.function.UnaryOperator;

/** Passes everything on, under the keys by which the server knows the names. */
final class KeyedProtocol extends ForwardingProtocol {
    private final UnaryOperator<String> key;

    KeyedProtocol(LeaseProtocol correct, UnaryOperator<String> key) {
        super(correct);
        this.key = key;
    }

    private Claim keyed(Claim claim) {
        return new Claim(
                key.apply(claim.name()),
                claim.token(),
                claim.lease(),
                claim.timeout(),
                claim.fences(),
                claim.number(),
                claim.isWaiting(),
                claim.isRenewed());
    }

    @Override
    public Attempt attempt(Claim claim) {
        return super.attempt(keyed(claim));
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        return super.renew(claims.stream().map(this::keyed).toList());
    }

    @Override
    public Release release(Claim claim) {
        return super.release(keyed(claim));
    }

    @Override
    public String lane(String name) {
        return super.lane(key.apply(name));
    }

    @Override
    public boolean isLocked(String name) {
        return super.isLocked(key.apply(name));
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        return super.watch(key.apply(name), onFreed);
    }
}
