// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.testservers.RedisServer;
import java.util.List;

/** Several servers that clients find by one endpoint. Used by one thread. */
interface LabGroup extends AutoCloseable {
    /** Returns the endpoint for a client, which reaches each server by a line of its own. */
    String uri(String client);

    /** Returns the servers that have the data now. */
    List<RedisServer> primaries();

    /** Returns when the replicas of the lock's primary have what was written before. */
    void awaitReplicas();

    /**
     * Kills the lock's primary once its replicas have what was written, and returns when one of them has taken its
     * place.
     */
    void killPrimary();

    /** Makes the lock's primary hand over to a replica in good order, and returns when all servers know. */
    void switchOver();

    /**
     * Cuts the lock's primary and the holder off from all other servers, and returns when a replica has taken its place
     * there.
     */
    void partition();

    @Override
    void close();
}
