// SPDX-License-Identifier: Apache-2.0
/** Read/write locks: two sides, each of which is a lock of the engine for each thread or handle that uses it. */
@NullMarked
package dev.interlock.engine.readwrite;

import org.jspecify.annotations.NullMarked;
