// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

/** The channels of a server. */
public interface ModelChannels {
    /**
     * Counts those who listen to a channel.
     *
     * @param channel the channel
     * @return how many
     */
    long listeners(String channel);

    /**
     * Sends a message to all who listen to a channel.
     *
     * @param channel the channel
     * @param text the message
     * @return how many it was sent to
     */
    long publish(String channel, String text);
}
