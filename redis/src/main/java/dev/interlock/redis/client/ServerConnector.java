// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.redis.ServerExamination;
import dev.interlock.redis.endpoint.RedisEndpoint;

/** Makes the nodes of single servers over one client library, with threads and settings that they share. */
public interface ServerConnector extends AutoCloseable {
    /**
     * Makes the node of one server, whatever its kind and role; does not connect.
     *
     * @param server where it listens, and how to log in
     * @return the node, which the caller closes
     */
    ClientNode connect(RedisEndpoint server);

    /**
     * Makes the node of one server that is to keep locks by itself; does not connect. Where the connections are ours, the node {@linkplain
     * ServerExamination examines} the server at its first connection, and again after a connection has failed.
     *
     * @param server where it listens, and how to log in
     * @return the node, which the caller closes
     */
    default ClientNode connectExamined(RedisEndpoint server) {
        return connect(server);
    }

    /** Ends what the nodes share as soon as all of them are closed. */
    @Override
    void close();
}
