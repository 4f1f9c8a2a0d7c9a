// SPDX-License-Identifier: Apache-2.0
/** How the engine deals with a backend: the claims it makes, the pace at which it asks, and whether it is answered. */
@NullMarked
package dev.interlock.engine.backend;

import org.jspecify.annotations.NullMarked;
