// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A handle whose hold is observed. */
final class ObservedHandle implements LockHandle {
    private final LockHandle handle;
    private final ObservedHold hold;

    ObservedHandle(LockHandle handle, ObservedHold hold) {
        this.handle = handle;
        this.hold = hold;
    }

    @Override
    public String lockName() {
        return handle.lockName();
    }

    @Override
    public List<String> lockNames() {
        return handle.lockNames();
    }

    @Override
    public OptionalLong fencingToken() {
        return handle.fencingToken();
    }

    @Override
    public OptionalLong fencingToken(String name) {
        return handle.fencingToken(name);
    }

    @Override
    public boolean isValid() {
        return handle.isValid();
    }

    @Override
    public Duration remaining() {
        return handle.remaining();
    }

    @Override
    public void ensureValid(Duration atLeast) {
        handle.ensureValid(atLeast);
    }

    @Override
    public Registration onLoss(Consumer<? super LossCause> action) {
        return handle.onLoss(action);
    }

    @Override
    public void close() {
        try {
            handle.close();
        } catch (LeaseLostException e) {
            hold.lost(e.lossCause());
            throw e;
        }
        hold.released();
    }

    @Override
    public String toString() {
        return handle.toString();
    }
}
