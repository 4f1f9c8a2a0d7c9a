// SPDX-License-Identifier: Apache-2.0
/**
 * Those who act in a rule: threads that make calls as they are told, how a test waits for them, and the times of the kit; not for
 * authors of locks.
 */
@NullMarked
package dev.interlock.conformance.internal.actor;

import org.jspecify.annotations.NullMarked;
