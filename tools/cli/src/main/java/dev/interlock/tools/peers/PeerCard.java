// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import java.util.List;

/**
 * Whose a lock is, if it is not ours.
 *
 * @param title what its users call it
 * @param artifact the artifact that has it
 * @param version the version of the artifact
 * @param documentation where its makers describe it
 * @param limits what its documentation says that it does not do, and what had to be added to use it as a lock, in
 *     sentences
 */
public record PeerCard(String title, String artifact, String version, String documentation, List<String> limits) {}
