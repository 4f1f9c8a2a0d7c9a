// SPDX-License-Identifier: Apache-2.0
/** The scenarios in which candidates are measured, and the clients and servers that it is measured with. */
@NullMarked
package dev.interlock.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
