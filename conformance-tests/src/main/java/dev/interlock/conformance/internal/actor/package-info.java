// SPDX-License-Identifier: Apache-2.0
/**
 * The threads of a rule, how a test waits for them, and the times of the kit. Not for authors of locks.
 */
@NullMarked
package dev.interlock.conformance.internal.actor;

import org.jspecify.annotations.NullMarked;
