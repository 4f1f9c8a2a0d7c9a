// SPDX-License-Identifier: Apache-2.0
/**
 * The fault lab: the faults, the strategies on which they are played, and the verdicts on the evidence.
 *
 * <p>A {@link dev.interlock.tools.lab.FaultLab} plays each {@link dev.interlock.tools.lab.play.LabFault};
 * {@link dev.interlock.tools.lab.CellVerdict} is computed from the evidence alone, and
 * {@link dev.interlock.tools.lab.Declaration} compares it with the profile. A new fault is a constant, its script, and
 * its line in docs/fault-lab.md.
 */
@NullMarked
package dev.interlock.tools.lab;

import org.jspecify.annotations.NullMarked;
