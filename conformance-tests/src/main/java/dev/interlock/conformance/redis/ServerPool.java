// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Running servers that no harness uses at present. A server is cleaned when it is given back, and checked when it is
 * handed out, since a client may have come back meanwhile; one that is not as good as new is discarded. The rest are
 * stopped when the JVM ends.
 */
final class ServerPool<S extends ServerPool.Server> {
    private final Supplier<S> start;
    private final Queue<S> idle = new ConcurrentLinkedQueue<>();

    /** A server that a pool keeps. */
    interface Server {
        /** Deletes what the last test left behind. */
        void clean();

        /**
         * Returns whether the server answers, and has neither data nor clients nor settings that it did not start with.
         */
        boolean isAsGoodAsNew();

        /** Ends the server. */
        void discard();
    }

    ServerPool(Supplier<S> start) {
        this.start = start;
    }

    /** Hands out an idle server, or a new one. */
    S take() {
        for (S server = idle.poll(); server != null; server = idle.poll()) {
            if (isFit(server)) {
                return server;
            }
            server.discard();
        }
        return start.get();
    }

    /** Keeps a server for the next test, or discards it. */
    void giveBack(S server) {
        if (cleans(server)) {
            idle.add(server);
        } else {
            server.discard();
        }
    }

    private static boolean cleans(Server server) {
        try {
            server.clean();
            return true;
        } catch (RuntimeException e) {
            // A server that cannot be cleaned is discarded.
            return false;
        }
    }

    private static boolean isFit(Server server) {
        try {
            return server.isAsGoodAsNew();
        } catch (RuntimeException e) {
            // A server that does not answer is discarded.
            return false;
        }
    }
}
