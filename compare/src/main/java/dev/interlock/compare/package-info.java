// SPDX-License-Identifier: Apache-2.0
/**
 * The side-by-side comparison of the installed strategies, as a command line.
 *
 * <p>A {@link dev.interlock.compare.Scenario} measures one thing and returns a record; {@link dev.interlock.compare.Report} holds
 * the records of all strategies; {@link dev.interlock.compare.ReportTables} makes tables of them, which the renderers write in
 * their formats. A new measurement is a new scenario, its record and its table.
 */
@NullMarked
package dev.interlock.compare;

import org.jspecify.annotations.NullMarked;
