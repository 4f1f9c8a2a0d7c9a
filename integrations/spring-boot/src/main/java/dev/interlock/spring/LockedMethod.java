// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.Lease;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * A method with its annotations, read and checked.
 *
 * @param method the method of the target
 * @param operations what its annotations say, in their order
 * @param leases the positions of the parameters that get a lease, in the order of the annotations
 * @param tokens the positions of the parameters that get a fencing token, in the order of the annotations
 */
record LockedMethod(Method method, List<LockedOperation> operations, List<Integer> leases, List<Integer> tokens) {
    /** Returns whether the lock is held until a stage has completed. */
    boolean returnsStage() {
        return CompletionStage.class.isAssignableFrom(method.getReturnType());
    }

    /** Returns the result of a call that is skipped. */
    @Nullable
    Object skipped() {
        ResolvableType type = ResolvableType.forMethodReturnType(method);
        if (returnsStage()) {
            return CompletableFuture.completedFuture(
                    nothing(type.as(CompletionStage.class).getGeneric().resolve(Object.class)));
        }
        return nothing(type.resolve(Object.class));
    }

    private static @Nullable Object nothing(Class<?> type) {
        return type == Optional.class ? Optional.empty() : null;
    }

    /**
     * Puts leases and fencing tokens among the arguments of a call.
     *
     * @param held the leases, in the order of the annotations
     */
    void inject(@Nullable Object[] arguments, List<Lease> held) {
        for (int i = 0; i < leases.size(); i++) {
            arguments[leases.get(i)] = held.get(i);
        }
        for (int i = 0; i < tokens.size(); i++) {
            int position = tokens.get(i);
            OptionalLong token = held.get(i).fencingToken();
            arguments[position] =
                    method.getParameterTypes()[position] == OptionalLong.class ? token : token.orElseThrow();
        }
    }

    /** Returns whether a parameter for the fencing token of an annotation has a type that cannot be empty. */
    boolean needsToken(int annotation) {
        return annotation < tokens.size() && method.getParameterTypes()[tokens.get(annotation)] != OptionalLong.class;
    }

    @Override
    public String toString() {
        return InvalidLockedMethodException.describe(method);
    }
}
