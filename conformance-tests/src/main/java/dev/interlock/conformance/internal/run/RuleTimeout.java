// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Ends a rule that takes longer than its kit allows. The rule runs on its own thread, which is abandoned if a lock
 * ignores the interrupt.
 */
public final class RuleTimeout implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> rule, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        limit("the rule", rule, context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<@Nullable Void> opening, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        limit("opening the harness", opening, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<@Nullable Void> closing, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        limit("closing the harness", closing, context);
    }

    private static void limit(String what, Invocation<@Nullable Void> invocation, ExtensionContext context)
            throws Throwable {
        Duration limit = ((KitClass) context.getRequiredTestInstance()).state().ruleTimeout();
        FutureTask<Outcome> task = new FutureTask<>(() -> Outcome.of(invocation));
        Thread thread = new Thread(task, "conformance " + context.getDisplayName());
        thread.setDaemon(true);
        thread.start();
        try {
            Throwable thrown = task.get(limit.toNanos(), TimeUnit.NANOSECONDS).thrown();
            if (thrown != null) {
                throw thrown;
            }
        } catch (TimeoutException e) {
            AssertionError failure = new AssertionError(what + " has not ended in " + limit
                    + ", the time-out of this kit (ruleTimeout()); its thread is at the cause");
            Throwable where = new AssertionError(thread.getState().toString());
            where.setStackTrace(thread.getStackTrace());
            failure.initCause(where);
            thread.interrupt();
            throw failure;
        } catch (InterruptedException e) {
            thread.interrupt();
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    /** The outcome of an invocation: the exception that it threw, if any. */
    private record Outcome(@Nullable Throwable thrown) {
        static Outcome of(InvocationInterceptor.Invocation<@Nullable Void> invocation) {
            try {
                invocation.proceed();
                return new Outcome(null);
            } catch (Throwable e) {
                return new Outcome(e);
            }
        }
    }
}
