// SPDX-License-Identifier: Apache-2.0
/**
 * The command line: what the user types, and what is run for it.
 *
 * <p>{@link dev.interlock.tools.cli.Main} has a command for each; a command reads its options, lets the other packages
 * work, and prints their report.
 */
@NullMarked
package dev.interlock.tools.cli;

import org.jspecify.annotations.NullMarked;
