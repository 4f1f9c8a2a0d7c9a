// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

/** A registration for the releases of a lock. */
public interface Watch extends AutoCloseable {
    /** The watch of a strategy that cannot listen. */
    Watch NONE = new Watch() {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void close() {}
    };

    /**
     * The watch of a strategy that cannot listen, and whose refusals tell when the holder's lease ends. Waiters go on
     * asking soon while that end moves, since the lock then passes from hand to hand and is free in between; one that
     * had no luck a few times would starve among others otherwise.
     */
    Watch POLLING = new Watch() {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void close() {}
    };

    /**
     * Tells whether releases will be reported, as far as is known. If not, waiters ask more often.
     *
     * @return {@code true} unless overridden
     */
    default boolean isListening() {
        return true;
    }

    /** Ends the registration. Returns without waiting for a server; has no effect if called again. */
    @Override
    void close();
}
