// SPDX-License-Identifier: Apache-2.0
/** The queue at the lead of a lock: its commands, its messages, and the validity of its grants. */
@NullMarked
package dev.interlock.redlock.lead;

import org.jspecify.annotations.NullMarked;
