// SPDX-License-Identifier: Apache-2.0
/**
 * The strategy {@code setnx-getset}: the lock that was in use before {@code SET} had options, kept to share keys with
 * programs that still use it, and to be compared with what came later.
 */
@NullMarked
package dev.interlock.setnxgetset;

import org.jspecify.annotations.NullMarked;
