// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics of the servers of a factory.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.micrometer.servers;

import org.jspecify.annotations.NullMarked;
