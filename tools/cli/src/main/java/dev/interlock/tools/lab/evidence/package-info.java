// SPDX-License-Identifier: Apache-2.0
/**
 * The events in a cell of the fault lab, in a {@link dev.interlock.tools.lab.evidence.Timeline}, and the
 * {@link dev.interlock.tools.lab.evidence.Evidence}, which is computed from the timeline alone.
 */
@NullMarked
package dev.interlock.tools.lab.evidence;

import org.jspecify.annotations.NullMarked;
