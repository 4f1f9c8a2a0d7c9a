// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.redis.ServerExamination;
import dev.interlock.redis.endpoint.RedisEndpoint;

/** Creates nodes for single servers over one client library. The nodes share threads and settings. */
public interface ServerConnector extends AutoCloseable {
    /**
     * Creates the node of one server, whatever its kind and role. Does not connect.
     *
     * @param server where it listens, and how to log in
     * @return the node, which the caller closes
     */
    ClientNode connect(RedisEndpoint server);

    /**
     * Creates the node of one server that keeps locks on its own. Does not connect. Where the connections are ours, the
     * node {@linkplain ServerExamination examines} the server at its first connection, and again after a connection has
     * failed.
     *
     * @param server where it listens, and how to log in
     * @return the node, which the caller closes
     */
    default ClientNode connectExamined(RedisEndpoint server) {
        return connect(server);
    }

    /** Releases the shared threads as soon as all nodes are closed. */
    @Override
    void close();
}
