// SPDX-License-Identifier: Apache-2.0
/** A lock that is a row of a database. */
@NullMarked
package dev.interlock.examples.rowlock;

import org.jspecify.annotations.NullMarked;
