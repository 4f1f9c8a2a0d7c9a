// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics of the factories that the auto-configuration makes.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.spring.boot.metrics;

import org.jspecify.annotations.NullMarked;
