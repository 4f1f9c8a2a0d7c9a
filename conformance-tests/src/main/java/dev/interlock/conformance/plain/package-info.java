// SPDX-License-Identifier: Apache-2.0
/** What makes a plain {@link java.util.concurrent.locks.Lock} a subject of the rules; authors use {@link PlainLocks}. */
@NullMarked
package dev.interlock.conformance.plain;

import org.jspecify.annotations.NullMarked;
