// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Passes all calls on, with each name replaced by its key on the server. */
final class KeyedProtocol extends ForwardingProtocol {
    private final UnaryOperator<String> key;

    KeyedProtocol(LeaseProtocol correct, UnaryOperator<String> key) {
        super(correct);
        this.key = key;
    }

    private Claim keyed(Claim claim) {
        return claim.withName(key.apply(claim.name()));
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

    @Override
    public Optional<ConditionProtocol> conditions() {
        return super.conditions().map(Keyed::new);
    }

    private final class Keyed extends ForwardingConditions {
        Keyed(ConditionProtocol correct) {
            super(correct);
        }

        @Override
        public Watch listen(Claim waiter, Runnable onChange) {
            return super.listen(keyed(waiter), onChange);
        }

        @Override
        public Release await(Claim held, Claim waiter, boolean releases) {
            return super.await(keyed(held), keyed(waiter), releases);
        }

        @Override
        public boolean isTold(Claim waiter) {
            return super.isTold(keyed(waiter));
        }

        @Override
        public Place look(Claim waiter) {
            return super.look(keyed(waiter));
        }

        @Override
        public Place leave(Claim waiter, boolean passesOn) {
            return super.leave(keyed(waiter), passesOn);
        }

        @Override
        public void adopt(Claim held, Claim waiter) {
            super.adopt(keyed(held), keyed(waiter));
        }

        @Override
        public Optional<LossCause> signal(Claim held, String condition, boolean all) {
            return super.signal(keyed(held), condition, all);
        }
    }
}
