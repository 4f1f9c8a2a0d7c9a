// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import java.util.List;

/** A change of the commands that a server receives, to see its consequences. */
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
