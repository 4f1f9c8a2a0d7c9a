// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.conformance.Fault;

/** One server as the clients under test see it: behind a proxy. Not safe for use by several threads at once. */
interface Node extends AutoCloseable {
    /** Where clients find it, with what they need to log in. */
    String uri();

    void inject(Fault fault);

    /** Ends all faults that last; the server answers on return. */
    void heal();

    @Override
    void close();
}
