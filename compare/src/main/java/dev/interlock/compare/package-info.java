// SPDX-License-Identifier: Apache-2.0
/**
 * The side-by-side comparison of the installed strategies, and the conformance kit, as a command line.
 *
 * <p>A {@link dev.interlock.compare.Scenario} measures one thing and returns a record; {@link dev.interlock.compare.Report} holds
 * the records of all strategies; {@link dev.interlock.compare.ReportTables} makes tables of them, which the renderers write in
 * their formats. A new measurement is a new scenario, its record and its table.
 *
 * <p>A {@link dev.interlock.compare.FaultLab} plays each {@link dev.interlock.compare.LabFault} on a
 * {@link dev.interlock.compare.LabStage} by its {@linkplain dev.interlock.compare.LabScripts script}: two
 * {@link dev.interlock.compare.LabClient}s in JVMs of their own, {@link dev.interlock.compare.LabServer}s and a
 * {@link dev.interlock.compare.Timeline}. {@link dev.interlock.compare.Evidence} is computed of the timeline alone,
 * {@link dev.interlock.compare.CellVerdict} of the evidence alone, and {@link dev.interlock.compare.Declaration} compares it with the
 * profile. A new fault is a constant, its script, and its line in docs/fault-lab.md.
 *
 * <p>A {@link dev.interlock.compare.KitRun} runs rules of the kit with one strategy; the figures are part of the report, and
 * a {@link dev.interlock.compare.ConformanceReport} of their own.
 */
@NullMarked
package dev.interlock.compare;

import org.jspecify.annotations.NullMarked;
