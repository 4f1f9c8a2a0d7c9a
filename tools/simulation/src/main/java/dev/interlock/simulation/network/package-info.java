// SPDX-License-Identifier: Apache-2.0
/** The way between clients and a server, with all that may happen to what is on it. */
@NullMarked
package dev.interlock.simulation.network;

import org.jspecify.annotations.NullMarked;
