// SPDX-License-Identifier: Apache-2.0
/** How costs grow with names, waiters, clients and leases, and a model of how much a number of servers can carry. */
@NullMarked
package dev.interlock.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
