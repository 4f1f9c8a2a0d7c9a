// SPDX-License-Identifier: Apache-2.0
/**
 * Adapters that put a plain {@link java.util.concurrent.locks.Lock} under the rules; authors use {@link PlainLocks}.
 */
@NullMarked
package dev.interlock.conformance.plain;

import org.jspecify.annotations.NullMarked;
