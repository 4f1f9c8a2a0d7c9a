// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.harness;

/** A fault between a lock and its backend; on a backend of several servers, with all of them at once. */
public enum Fault {
    /**
     * Requests are neither answered nor refused until {@link FaultInjector#heal}, after which those that wait are
     * carried out.
     */
    PAUSE,
    /**
     * The backend cannot be reached, and connections are refused, until {@link FaultInjector#heal}; it keeps its data
     * and goes on counting leases.
     */
    PARTITION,
    /**
     * The backend's process ends in order and refuses connections until {@link FaultInjector#heal} starts it with all
     * its data.
     */
    STOP,
    /**
     * The backend's process ends at once and refuses connections until {@link FaultInjector#heal} starts it without
     * data.
     */
    KILL,
    /** The backend ends and starts again at once, with all its data. */
    RESTART_WITH_DATA,
    /** The backend ends and starts again at once, without data. */
    RESTART_WITHOUT_DATA,
    /** All data is deleted while the backend runs on. */
    FLUSH,
    /**
     * The backend forgets what clients have prepared in it to call by a short name later, such as scripts or
     * statements.
     */
    FORGET_PREPARED,
    /** All connections are closed; new ones are accepted at once. */
    CUT_CONNECTIONS,
    /**
     * The connections on which clients are notified of releases are closed, all others stay; new ones are accepted at
     * once.
     */
    CUT_NOTIFICATIONS,
    /** Each answer arrives {@link FaultInjector#DELAY} late until {@link FaultInjector#heal}. */
    DELAY,
    /** The next request is carried out, and its answer lost together with the connection. */
    LOSE_NEXT_REPLY
}
