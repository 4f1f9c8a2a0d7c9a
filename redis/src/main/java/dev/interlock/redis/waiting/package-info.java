// SPDX-License-Identifier: Apache-2.0
/** Code for strategies whose waiters queue on a server and learn of their turn by a message. */
@NullMarked
package dev.interlock.redis.waiting;

import org.jspecify.annotations.NullMarked;
