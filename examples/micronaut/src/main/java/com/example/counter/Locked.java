// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import io.micronaut.aop.Around;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method runs while it holds the lock of that name, on one machine at a time. */
@Around
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Locked {
    /** The name of the lock. */
    String value();
}
