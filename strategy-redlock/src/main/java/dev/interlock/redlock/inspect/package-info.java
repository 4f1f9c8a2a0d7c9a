// SPDX-License-Identifier: Apache-2.0
/** Inspection of {@code redlock} locks for operators. */
@NullMarked
package dev.interlock.redlock.inspect;

import org.jspecify.annotations.NullMarked;
