// SPDX-License-Identifier: Apache-2.0
/**
 * The command line.
 *
 * <p>{@link dev.interlock.tools.cli.Main} has the subcommands. A command reads its options, calls the other packages,
 * and prints their report.
 */
@NullMarked
package dev.interlock.tools.cli;

import org.jspecify.annotations.NullMarked;
