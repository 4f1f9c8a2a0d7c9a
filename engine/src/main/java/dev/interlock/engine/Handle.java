// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A tenure that belongs to no thread, with the right to end it. */
final class Handle implements LockHandle {
    private final Tenures tenures;
    private final Tenure tenure;

    Handle(Tenures tenures, Tenure tenure) {
        this.tenures = tenures;
        this.tenure = tenure;
    }

    @Override
    public String lockName() {
        return tenure.lockName();
    }

    @Override
    public OptionalLong fencingToken() {
        return tenure.fencingToken();
    }

    @Override
    public boolean isValid() {
        return tenure.isValid();
    }

    @Override
    public Duration remaining() {
        return tenure.remaining();
    }

    @Override
    public void ensureValid(Duration atLeast) {
        tenure.ensureValid(atLeast);
    }

    @Override
    public Lease.Registration onLoss(Consumer<? super LossCause> action) {
        return tenure.onLoss(action);
    }

    @Override
    public void close() {
        tenures.closeHandle(tenure);
    }

    @Override
    public String toString() {
        return tenure.toString();
    }
}
