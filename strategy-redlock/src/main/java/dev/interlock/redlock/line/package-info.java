// SPDX-License-Identifier: Apache-2.0
/** Parts of the line to a node: the queue of requests that cannot be sent yet, and the making of connections. */
@NullMarked
package dev.interlock.redlock.line;

import org.jspecify.annotations.NullMarked;
