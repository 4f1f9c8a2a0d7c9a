// SPDX-License-Identifier: Apache-2.0
/**
 * For authors of strategies: the {@linkplain dev.interlock.spi.LockStrategyProvider service interface} of a strategy,
 * and the profile in which it declares what it promises and assumes. A program that only uses locks meets no more of it
 * than the profile of a factory.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock.spi;

import org.jspecify.annotations.NullMarked;
