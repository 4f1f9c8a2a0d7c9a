// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.harness;

import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Declares the dependencies of a rule. If something is missing, the rule is skipped and the report says why. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Needs {
    /** The capabilities that the strategy must declare. */
    Capability[] value() default {};

    /** The capabilities that the strategy must <em>not</em> declare. */
    Capability[] without() default {};

    /** The faults that the harness must be able to cause. */
    Fault[] faults() default {};

    /**
     * The features that the lock must have and a plain {@link java.util.concurrent.locks.Lock} need not have; a
     * strategy has all of it.
     */
    Beyond[] beyond() default {};

    /** Returns whether the backend must be reachable from other processes. */
    boolean processes() default false;

    /** Returns whether processes must be stopped and continued by signals, as on POSIX systems. */
    boolean signals() default false;

    /** Returns whether the JVM must have virtual threads, as from Java 21. */
    boolean virtualThreads() default false;
}
