// SPDX-License-Identifier: Apache-2.0
/** What threads have lost, and how they are told. */
@NullMarked
package dev.interlock.engine.loss;

import org.jspecify.annotations.NullMarked;
