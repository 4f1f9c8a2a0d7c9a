// SPDX-License-Identifier: Apache-2.0
/**
 * Histories of locks: a {@link dev.interlock.conformance.history.Recorder} records calls and their outcomes, and a
 * {@link dev.interlock.conformance.history.Checker} judges whether a correct lock can have behaved so.
 */
@NullMarked
package dev.interlock.conformance.history;

import org.jspecify.annotations.NullMarked;
