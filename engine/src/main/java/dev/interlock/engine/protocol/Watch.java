// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

/** A running interest in the releases of a lock. */
public interface Watch extends AutoCloseable {
    /** The watch of a strategy that cannot listen. */
    Watch NONE = () -> {};

    /** Ends the interest. Returns without waiting for a server; has no effect if called again. */
    @Override
    void close();
}
