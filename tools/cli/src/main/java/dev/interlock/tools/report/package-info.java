// SPDX-License-Identifier: Apache-2.0
/**
 * Reports and their forms: {@link dev.interlock.tools.report.Report} holds the records of all strategies,
 * {@link dev.interlock.tools.report.ReportTables} makes tables of them, and the renderers write these.
 */
@NullMarked
package dev.interlock.tools.report;

import org.jspecify.annotations.NullMarked;
