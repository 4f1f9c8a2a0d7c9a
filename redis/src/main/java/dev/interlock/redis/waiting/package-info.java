// SPDX-License-Identifier: Apache-2.0
/** What strategies share whose waiters stand in a queue on a server and are told of their turn by a message. */
@NullMarked
package dev.interlock.redis.waiting;

import org.jspecify.annotations.NullMarked;
