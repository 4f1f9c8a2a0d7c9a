// SPDX-License-Identifier: Apache-2.0
/** The queue at the lead of a lock: its commands, what its messages say, and for how long what was granted there is good. */
@NullMarked
package dev.interlock.redlock.lead;

import org.jspecify.annotations.NullMarked;
