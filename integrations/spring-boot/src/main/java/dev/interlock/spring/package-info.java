// SPDX-License-Identifier: Apache-2.0
/**
 * Locks around the methods of Spring beans: {@link dev.interlock.spring.Locked @Locked} and what belongs to it.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.spring;

import org.jspecify.annotations.NullMarked;
