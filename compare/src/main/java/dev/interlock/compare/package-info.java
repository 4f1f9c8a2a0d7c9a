// SPDX-License-Identifier: Apache-2.0
/**
 * The side-by-side comparison of the installed strategies, and the conformance kit, as a command line.
 *
 * <p>A {@link dev.interlock.compare.Scenario} measures one thing and returns a record; {@link dev.interlock.compare.Report} holds
 * the records of all strategies; {@link dev.interlock.compare.ReportTables} makes tables of them, which the renderers write in
 * their formats. A new measurement is a new scenario, its record and its table.
 *
 * <p>A {@link dev.interlock.compare.KitRun} runs rules of the kit with one strategy; the figures are part of the report, and
 * a {@link dev.interlock.compare.ConformanceReport} of their own.
 */
@NullMarked
package dev.interlock.compare;

import org.jspecify.annotations.NullMarked;
