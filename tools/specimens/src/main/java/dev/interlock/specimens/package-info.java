// SPDX-License-Identifier: Apache-2.0
/** Locks that are known to be broken: the kit must refuse them, and the fault lab shows them beside the strategies. */
@NullMarked
package dev.interlock.specimens;

import org.jspecify.annotations.NullMarked;
