// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import java.util.Collection;

/** Opens the connections over which {@link Subscriptions} listens. */
public interface SubscriptionSource {
    /**
     * Opens a connection; blocks for a bounded time.
     *
     * @param receiver gets the messages, from the call of {@link Line#listen} on or earlier
     * @throws dev.interlock.LockBackendException if that is not possible
     */
    Line open(Receiver receiver);

    /** Returns the source of connections for the sharded channels of a cluster. */
    default SubscriptionSource sharded() {
        return this;
    }

    /** Receives a server's messages about channels. Its methods must not block. */
    interface Receiver {
        /** The server has confirmed a subscription. */
        void confirmed(String channel);

        /**
         * The server has ended a subscription, either on request or because the channel belongs to another node now.
         */
        void revoked(String channel);

        /** The server has sent a message. */
        void message(String channel, String text);

        /** The server has answered a ping. */
        void alive();

        /** The server has refused a subscription. */
        void refused(ServerError error);
    }

    /** One subscription connection. The methods that send do not wait for the server. */
    interface Line {
        void subscribe(Collection<String> channels);

        void unsubscribe(String channel);

        /** Asks the server for a sign of life. */
        void ping();

        /** Returns whether its credentials expire soon, so that another connection should replace it. */
        default boolean isExpiring() {
            return false;
        }

        /** Passes messages on, and returns when the connection has ended. */
        void listen();

        /** Ends the connection; has no effect if it has ended. */
        void close();
    }
}
