// SPDX-License-Identifier: Apache-2.0
/** The clients whose growth is measured, each in a JVM of its own. */
@NullMarked
package dev.interlock.benchmarks.scale.clients;

import org.jspecify.annotations.NullMarked;
