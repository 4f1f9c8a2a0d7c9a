// SPDX-License-Identifier: Apache-2.0
/** The scenarios in which candidates are measured, and the clients and servers for them. */
@NullMarked
package dev.interlock.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
