// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletionStage;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method of a Spring bean while it holds a distributed lock.
 *
 * <pre>{@code
 * @Locked("invoice:#{#id}")
 * @Transactional
 * public void settle(long id) { … }
 * }</pre>
 *
 * <p>The lock is acquired before the method is entered and released after it has returned or thrown, outside the
 * transaction of the method, so that a transaction has ended when the next holder begins. The thread is the holder, as
 * with {@link DistributedLock#lock}: a method that is called inside may lock the same name again. If the lease was lost
 * meanwhile, the caller gets a {@link LeaseLostException} although the method has returned; if the method has thrown,
 * its exception carries that one as a suppressed exception. A {@link LockBackendException} reaches the caller whatever
 * {@link #onTaken} says.
 *
 * <p>A method that returns a {@link CompletionStage} holds the lock until the stage has completed, by a handle that no
 * thread owns, and so cannot lock the name again inside. The stage that the caller gets completes after the release,
 * and reports what goes wrong with the lock. The wait for the lock blocks the caller. Cancelling the stage does not end
 * the work, nor the lock.
 *
 * <p>The annotation works on methods of beans that Spring can intercept: called from another bean, and neither
 * {@code private}, {@code static} nor {@code final}. It may be used several times on a method, as a meta-annotation,
 * and on methods of interfaces. Several locks are acquired in the order of their names, so that two methods which need
 * the same locks do not wait for each other, and released in the opposite order.
 *
 * <p>A parameter of the type {@link Lease} gets the lease of the lock, and a parameter with {@link FencingToken} its
 * fencing token, whatever the caller passes. With several locks, the first such parameter belongs to the first
 * annotation, and so on.
 *
 * <p>Texts may have placeholders such as <code>${jobs.report.lock}</code>.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(Locked.Several.class)
@Reflective(LockedReflectiveProcessor.class)
public @interface Locked {
    /**
     * Returns the name of the lock: a text with expressions of the Spring Expression Language in <code>#{…}</code>.
     * They see the parameters of the method by their names ({@code #id}), beans ({@code @bean}), and the target as the
     * root object. An expression that evaluates to {@code null} is an error, since it would make one lock of many.
     *
     * @return the name
     */
    @AliasFor("name")
    String value() default "";

    /**
     * Returns the name of the lock, as {@link #value}.
     *
     * @return the name
     */
    @AliasFor("value")
    String name() default "";

    /**
     * Returns how long to wait for the lock: a duration such as {@code 500ms} or {@code 10s}, {@code 0} for not at all,
     * or {@code forever}. If empty, the default of the application applies ({@code interlock.locked.wait-time}).
     *
     * @return the longest time to wait
     */
    String waitTime() default "";

    /**
     * Returns for how long the lock is granted at a time: a duration such as {@code 30s}. If empty, the default of the
     * factory applies.
     *
     * @return the lease
     */
    String lease() default "";

    /**
     * Returns what happens if somebody else has the lock for as long as the method waits. Without effect if there is a
     * {@link #fallback}.
     *
     * @return what happens
     */
    OnTaken onTaken() default OnTaken.THROW;

    /**
     * Returns the method that is called, without the lock, if somebody else has it for as long as the method waits. It
     * belongs to the same class, has the same parameters, or these and a {@link LockTakenException} behind them, and
     * returns what the locked method may return.
     *
     * @return the name of the method, or empty if there is none
     */
    String fallback() default "";

    /**
     * Returns the bean that has the lock, for applications with several factories.
     *
     * @return the name of a {@link dev.interlock.DistributedLockFactory} bean, or empty for the only or primary one
     */
    String factory() default "";

    /** The treatment of a call whose lock is taken. */
    enum OnTaken {
        /** The caller gets a {@link LockTakenException}. */
        THROW,
        /**
         * The method is not called. The caller gets {@code null}, an empty {@link java.util.Optional}, or a stage that
         * has completed with one of them; a method that returns a primitive type cannot be skipped.
         */
        SKIP
    }

    /** Holds several annotations of one method. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @Reflective(LockedReflectiveProcessor.class)
    @interface Several {
        /**
         * Returns the annotations.
         *
         * @return the annotations
         */
        Locked[] value();
    }
}
