// SPDX-License-Identifier: Apache-2.0
/** What the line to a node needs while requests cannot be sent: a queue, and how a new connection comes about. */
@NullMarked
package dev.interlock.redlock.line;

import org.jspecify.annotations.NullMarked;
