// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import java.util.List;

/** What a server does in place of what it is sent, to see what comes of it. */
public interface Mutation {
    /**
     * Changes a script.
     *
     * @param source the script that was sent
     * @return the script to run
     */
    String script(String source);

    /**
     * Changes a command of a client.
     *
     * @param words the command that was sent, and its arguments
     * @return the command to carry out
     */
    List<String> command(List<String> words);
}
