// SPDX-License-Identifier: Apache-2.0
/** The timer, the lanes and the waits of the engine. */
@NullMarked
package dev.interlock.engine.threads;

import org.jspecify.annotations.NullMarked;
