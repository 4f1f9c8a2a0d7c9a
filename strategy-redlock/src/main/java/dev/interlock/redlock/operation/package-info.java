// SPDX-License-Identifier: Apache-2.0
/** Changes of the list of nodes, on behalf of an operator. */
@NullMarked
package dev.interlock.redlock.operation;

import org.jspecify.annotations.NullMarked;
