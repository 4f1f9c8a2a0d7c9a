// SPDX-License-Identifier: Apache-2.0
/** The servers that a candidate is measured with, and the network between them and its clients. */
@NullMarked
package dev.interlock.benchmarks.network;

import org.jspecify.annotations.NullMarked;
