// SPDX-License-Identifier: Apache-2.0
/**
 * Health and the actuator endpoint {@code locks}.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;
