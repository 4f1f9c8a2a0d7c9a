// SPDX-License-Identifier: Apache-2.0
/** Losses: how they are remembered, and how threads are told. */
@NullMarked
package dev.interlock.engine.loss;

import org.jspecify.annotations.NullMarked;
