// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.harness.Fault;

/** One Redis server behind a proxy, as the clients under test see it. Not safe for use by several threads at once. */
interface Node extends AutoCloseable {
    /** The URI by which clients reach the node, with credentials. */
    String uri();

    void inject(Fault fault);

    /** Returns whether the reply is lost for which {@link Fault#LOSE_NEXT_REPLY} was injected last. */
    boolean hasLostReply();

    /** Ends all faults that last; the server answers on return. */
    void heal();

    @Override
    void close();
}
