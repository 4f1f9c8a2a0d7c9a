// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a {@link Locked @Locked} method that gets the fencing token of the lock, whatever the caller
 * passes. It is a {@code long}, a {@link Long} or a {@link java.util.OptionalLong}; the last is empty if the strategy
 * draws no tokens, which is an error for the others.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FencingToken {}
