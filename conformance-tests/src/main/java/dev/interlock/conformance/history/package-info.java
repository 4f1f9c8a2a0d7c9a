// SPDX-License-Identifier: Apache-2.0
/**
 * Histories of locks and their judge: a {@link dev.interlock.conformance.history.Recorder} takes down what clients asked for
 * and what they were told, and a {@link dev.interlock.conformance.history.Checker} says whether a lock can have behaved so.
 */
@NullMarked
package dev.interlock.conformance.history;

import org.jspecify.annotations.NullMarked;
