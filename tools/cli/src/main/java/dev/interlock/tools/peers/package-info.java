// SPDX-License-Identifier: Apache-2.0
/**
 * Locks of other libraries, in the form in which the tools examine locks: {@link dev.interlock.tools.peers.Peers} lists
 * them. No published artifact depends on them.
 */
@NullMarked
package dev.interlock.tools.peers;

import org.jspecify.annotations.NullMarked;
