// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;

/** Adapts another library: connects its clients and declares the features of its locks. */
interface PeerDriver {
    /** Connects a client, as one process of an application would have it. The caller must close it. */
    PeerClient connect(LockConfig config);

    /** Says what the kit may ask of these locks beyond {@link java.util.concurrent.locks.Lock}. */
    PlainLocks declare(PlainLocks locks);

    /** Returns whether a client may serve one rule of the kit after another. */
    default boolean servesManyRules() {
        return true;
    }
}
