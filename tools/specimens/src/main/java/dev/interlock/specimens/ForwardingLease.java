// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.Lease;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Forwards every call to a correct lease. Subclasses break one method. */
public class ForwardingLease implements Lease {
    protected final Lease correct;

    public ForwardingLease(Lease correct) {
        this.correct = correct;
    }

    @Override
    public String lockName() {
        return correct.lockName();
    }

    @Override
    public List<String> lockNames() {
        return correct.lockNames();
    }

    @Override
    public OptionalLong fencingToken() {
        return correct.fencingToken();
    }

    @Override
    public OptionalLong fencingToken(String name) {
        return correct.fencingToken(name);
    }

    @Override
    public boolean isValid() {
        return correct.isValid();
    }

    @Override
    public Duration remaining() {
        return correct.remaining();
    }

    @Override
    public void ensureValid(Duration atLeast) {
        correct.ensureValid(atLeast);
    }

    @Override
    public Registration onLoss(Consumer<? super LossCause> action) {
        return correct.onLoss(action);
    }

    @Override
    public String toString() {
        return correct.toString();
    }
}
