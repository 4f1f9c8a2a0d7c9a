// SPDX-License-Identifier: Apache-2.0
/** Clients in JVMs of their own; not for authors of locks. */
@NullMarked
package dev.interlock.conformance.internal.peer;

import org.jspecify.annotations.NullMarked;
