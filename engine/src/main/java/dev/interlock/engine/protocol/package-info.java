// SPDX-License-Identifier: Apache-2.0
/**
 * The protocols that a strategy implements: a lease protocol, with its claims and outcomes. For authors of strategies.
 */
@NullMarked
package dev.interlock.engine.protocol;

import org.jspecify.annotations.NullMarked;
