// SPDX-License-Identifier: Apache-2.0
/**
 * The measurements of a lock: a {@link dev.interlock.tools.measure.Measurement} measures one thing and returns a
 * record, which goes into the report as it is.
 */
@NullMarked
package dev.interlock.tools.measure;

import org.jspecify.annotations.NullMarked;
