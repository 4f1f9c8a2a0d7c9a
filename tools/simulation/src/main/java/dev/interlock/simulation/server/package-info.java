// SPDX-License-Identifier: Apache-2.0
/**
 * A model of a Redis server: its keys, the commands that locks use, and a Lua interpreter that runs the real scripts.
 */
@NullMarked
package dev.interlock.simulation.server;

import org.jspecify.annotations.NullMarked;
