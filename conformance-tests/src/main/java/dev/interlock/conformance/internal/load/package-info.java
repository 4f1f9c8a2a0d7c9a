// SPDX-License-Identifier: Apache-2.0
/** Threads that take locks at random, and what they record; not for authors of locks. */
@NullMarked
package dev.interlock.conformance.internal.load;

import org.jspecify.annotations.NullMarked;
