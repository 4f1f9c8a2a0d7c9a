// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Watch;
import java.util.Optional;

/** Forwards all calls about conditions. Subclasses break a part. */
public class ForwardingConditions implements ConditionProtocol {
    final ConditionProtocol correct;

    protected ForwardingConditions(ConditionProtocol correct) {
        this.correct = correct;
    }

    @Override
    public Watch listen(Claim waiter, Runnable onChange) {
        return correct.listen(waiter, onChange);
    }

    @Override
    public Release await(Claim held, Claim waiter, boolean releases) {
        return correct.await(held, waiter, releases);
    }

    @Override
    public boolean isTold(Claim waiter) {
        return correct.isTold(waiter);
    }

    @Override
    public Place look(Claim waiter) {
        return correct.look(waiter);
    }

    @Override
    public Place leave(Claim waiter, boolean passesOn) {
        return correct.leave(waiter, passesOn);
    }

    @Override
    public void adopt(Claim held, Claim waiter) {
        correct.adopt(held, waiter);
    }

    @Override
    public Optional<LossCause> signal(Claim held, String condition, boolean all) {
        return correct.signal(held, condition, all);
    }
}
