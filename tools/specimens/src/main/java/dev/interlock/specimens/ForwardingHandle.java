// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.Lease;
import dev.interlock.LockHandle;

/** Forwards every call to a correct handle. Subclasses break one method. */
public class ForwardingHandle extends ForwardingLease implements LockHandle {
    private final LockHandle handle;

    public ForwardingHandle(LockHandle correct) {
        this(correct, correct);
    }

    /** Shows one lease, and closes a handle. */
    ForwardingHandle(Lease shown, LockHandle closed) {
        super(shown);
        this.handle = closed;
    }

    @Override
    public void close() {
        handle.close();
    }
}
