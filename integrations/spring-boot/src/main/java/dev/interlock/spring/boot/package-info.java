// SPDX-License-Identifier: Apache-2.0
/**
 * Auto-configuration for Spring Boot: factories of locks from {@code interlock.*} properties, health, the actuator
 * endpoint {@code locks}, and {@link dev.interlock.spring.Locked @Locked}.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.spring.boot;

import org.jspecify.annotations.NullMarked;
