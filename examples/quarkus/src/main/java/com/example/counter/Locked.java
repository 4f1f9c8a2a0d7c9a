// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method runs while it holds the lock of that name, on one machine at a time. */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Locked {
    /** The name of the lock. */
    @Nonbinding
    String value() default "";
}
