// SPDX-License-Identifier: Apache-2.0
/** The network between clients and a server, with its faults. */
@NullMarked
package dev.interlock.simulation.network;

import org.jspecify.annotations.NullMarked;
