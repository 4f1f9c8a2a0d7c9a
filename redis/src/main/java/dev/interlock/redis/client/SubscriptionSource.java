// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import java.util.Collection;

/** Opens the connections over which {@link Subscriptions} listens. */
public interface SubscriptionSource {
    /**
     * Opens a connection; blocks for a bounded time.
     *
     * @param receiver told what comes, from when {@link Line#listen} was called or earlier
     * @throws dev.interlock.LockBackendException if that is not possible
     */
    Line open(Receiver receiver);

    /** Returns the source of connections for the sharded channels of a cluster. */
    default SubscriptionSource sharded() {
        return this;
    }

    /** Told what a server says about channels; must not block. */
    interface Receiver {
        /** The server has confirmed a subscription. */
        void confirmed(String channel);

        /** The server has ended a subscription: because it was asked to, or because the channel is another node's now. */
        void revoked(String channel);

        /** The server has sent a message. */
        void message(String channel, String text);

        /** The server has answered a ping. */
        void alive();

        /** The server does not let us listen. */
        void refused(ServerError error);
    }

    /** One subscription connection. The methods that send do not wait for the server. */
    interface Line {
        void subscribe(Collection<String> channels);

        void unsubscribe(String channel);

        /** Asks the server for a sign of life. */
        void ping();

        /** Whether what it was logged in with expires soon, so that another one should take its place. */
        default boolean isExpiring() {
            return false;
        }

        /** Hands on what the server says, and returns when the connection has ended. */
        void listen();

        /** Ends the connection; has no effect if it has ended. */
        void close();
    }
}
