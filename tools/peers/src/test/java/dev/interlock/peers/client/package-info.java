// SPDX-License-Identifier: Apache-2.0
/** The locks of other makes, and ours under their keys, in one shape. */
@NullMarked
package dev.interlock.peers.client;

import org.jspecify.annotations.NullMarked;
