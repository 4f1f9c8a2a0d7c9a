// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ClassUtils;

/** Runs calls of {@link Locked @Locked} methods inside their locks. */
final class LockedInterceptor implements MethodInterceptor {
    private final LockedMethods methods;
    private final Function<String, DistributedLockFactory> factories;
    private final BeanResolver beans;
    private final StageReleaser releaser = new StageReleaser();

    /**
     * Creates an interceptor.
     *
     * @param factories returns the factory of a name, or the only or primary one for the empty name
     */
    LockedInterceptor(LockedMethods methods, Function<String, DistributedLockFactory> factories, BeanResolver beans) {
        this.methods = methods;
        this.factories = factories;
        this.beans = beans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "target");
        Optional<LockedMethod> found = methods.find(invocation.getMethod(), ClassUtils.getUserClass(target.getClass()));
        if (found.isEmpty()) {
            return invocation.proceed();
        }
        LockedMethod method = found.get();
        List<LockedCall> calls = calls(method, target, invocation.getArguments());
        return method.returnsStage()
                ? runUntilStageEnds(invocation, method, calls)
                : runHolding(
                        invocation, method, calls, new Lease[method.operations().size()]);
    }

    /** Returns the locks of a call in the order in which they are acquired. */
    private List<LockedCall> calls(LockedMethod method, Object target, @Nullable Object[] arguments) {
        List<LockedCall> calls = new ArrayList<>();
        for (int i = 0; i < method.operations().size(); i++) {
            LockedOperation operation = method.operations().get(i);
            DistributedLockFactory factory = factories.apply(operation.factory());
            DistributedLock lock = factory.getLock(operation.name().evaluate(target, arguments, beans));
            DistributedLock leased = operation.lease().map(lock::withLease).orElse(lock);
            calls.add(new LockedCall(i, method, operation, factory, leased));
        }
        calls.sort(Comparator.comparing((LockedCall call) -> call.lock().name())
                .thenComparing(call -> call.operation().factory()));
        return calls;
    }

    /** Acquires the first of the locks that are left, and runs what remains while the current thread holds it. */
    private @Nullable Object runHolding(
            MethodInvocation invocation, LockedMethod method, List<LockedCall> left, Lease[] held) throws Throwable {
        if (left.isEmpty()) {
            method.inject(invocation.getArguments(), Arrays.asList(held));
            return invocation.proceed();
        }
        LockedCall call = left.get(0);
        if (!call.lockForThread()) {
            return instead(invocation, call);
        }
        Object result = null;
        Optional<Lease> lease = call.lock().lease();
        // A lease that was lost at once is told by the release.
        if (lease.isPresent()) {
            held[call.position()] = lease.get();
            try {
                result = runHolding(invocation, method, left.subList(1, left.size()), held);
            } catch (Throwable e) {
                releaseAfter(e, call.lock()::unlock);
                throw e;
            }
        }
        call.lock().unlock();
        return result;
    }

    private @Nullable Object runUntilStageEnds(MethodInvocation invocation, LockedMethod method, List<LockedCall> calls)
            throws Throwable {
        List<LockHandle> handles = new ArrayList<>();
        Lease[] held = new Lease[calls.size()];
        for (int i = 0; i < calls.size(); i++) {
            LockedCall call = calls.get(i);
            if (i > 0 && call.isSameAs(calls.get(i - 1))) {
                // A handle cannot acquire the same lock twice, so the annotations share it.
                held[call.position()] = handles.get(handles.size() - 1);
                continue;
            }
            Optional<LockHandle> handle;
            try {
                handle = call.lockForHandle();
            } catch (RuntimeException | Error e) {
                StageReleaser.close(handles, e);
                return CompletableFuture.failedFuture(e);
            }
            if (handle.isEmpty()) {
                Throwable loss = StageReleaser.close(handles, null);
                return loss == null ? instead(invocation, call) : CompletableFuture.failedFuture(loss);
            }
            handles.add(handle.get());
            held[call.position()] = handle.get();
        }
        Object stage;
        try {
            method.inject(invocation.getArguments(), Arrays.asList(held));
            stage = invocation.proceed();
        } catch (Throwable e) {
            StageReleaser.close(handles, e);
            throw e;
        }
        return releaser.releaseAfter((CompletionStage<?>) stage, handles);
    }

    /** Returns the result of a call that was not made because its lock is taken, or throws. */
    private static @Nullable Object instead(MethodInvocation invocation, LockedCall call) throws Throwable {
        if (call.operation().fallback().isPresent()) {
            return callFallback(invocation, call, call.operation().fallback().get());
        }
        if (call.operation().onTaken() == Locked.OnTaken.SKIP) {
            return call.method().skipped();
        }
        LockTakenException taken = call.taken();
        if (call.method().returnsStage()) {
            return CompletableFuture.failedFuture(taken);
        }
        throw taken;
    }

    private static @Nullable Object callFallback(MethodInvocation invocation, LockedCall call, Method fallback)
            throws Throwable {
        @Nullable Object[] arguments = invocation.getArguments();
        if (fallback.getParameterCount() > arguments.length) {
            arguments = Arrays.copyOf(arguments, arguments.length + 1);
            arguments[arguments.length - 1] = call.taken();
        }
        try {
            return fallback.invoke(invocation.getThis(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static void releaseAfter(Throwable failure, Runnable release) {
        try {
            release.run();
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }
}
