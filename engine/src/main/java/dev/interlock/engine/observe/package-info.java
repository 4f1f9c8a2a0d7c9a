// SPDX-License-Identifier: Apache-2.0
/**
 * Tells listeners and JDK Flight Recorder what the locks of a factory do. The engine calls the
 * {@link dev.interlock.engine.observe.Observer}; the package is not exported.
 */
@NullMarked
package dev.interlock.engine.observe;

import org.jspecify.annotations.NullMarked;
