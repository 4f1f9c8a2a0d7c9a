// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;

/** The outcome of asking one server. */
sealed interface Answer {
    /** It answered, over a connection to one process, and not by an error. */
    record Said(Object value, Session from) implements Answer {}

    /** It did not; the reason of the cause tells whether it may have done what it was asked. */
    record Failed(NodeReport.Vote vote, LockBackendException cause) implements Answer {}
}
