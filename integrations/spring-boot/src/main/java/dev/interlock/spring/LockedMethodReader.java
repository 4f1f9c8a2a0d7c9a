// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ReflectionUtils;

/** Reads the annotations of a method, and refuses those whose promise cannot be kept. */
final class LockedMethodReader {
    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();
    private static final String FOREVER = "forever";
    private static final Set<Class<?>> TOKEN_TYPES = Set.of(long.class, Long.class, OptionalLong.class);

    private final UnaryOperator<String> placeholders;
    private final Duration defaultWait;

    LockedMethodReader(UnaryOperator<String> placeholders, Duration defaultWait) {
        this.placeholders = placeholders;
        this.defaultWait = defaultWait;
    }

    /**
     * Reads a method of a bean's class.
     *
     * @return what its annotations say, or empty if it has none
     * @throws InvalidLockedMethodException if they cannot be kept
     */
    Optional<LockedMethod> read(Method method, Class<?> targetClass) {
        List<MergedAnnotation<Locked>> annotations = annotations(method);
        if (annotations.isEmpty()) {
            return Optional.empty();
        }
        requireObservableEnd(method);
        List<Integer> leases = new ArrayList<>();
        List<Integer> tokens = new ArrayList<>();
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].getType() == Lease.class) {
                leases.add(i);
            } else if (parameters[i].isAnnotationPresent(FencingToken.class)) {
                requireTokenType(method, parameters[i]);
                tokens.add(i);
            }
        }
        if (Math.max(leases.size(), tokens.size()) > annotations.size()) {
            throw new InvalidLockedMethodException(
                    method,
                    "it has more parameters for leases or fencing tokens than locks",
                    "Leave one such parameter for each @Locked.");
        }
        List<LockedOperation> operations = new ArrayList<>();
        for (MergedAnnotation<Locked> annotation : annotations) {
            operations.add(operation(method, targetClass, annotation));
        }
        return Optional.of(new LockedMethod(method, operations, leases, tokens));
    }

    /** Returns the annotations that stand nearest: those of the method itself, or else those of what it implements. */
    private static List<MergedAnnotation<Locked>> annotations(Method method) {
        List<MergedAnnotation<Locked>> all =
                MergedAnnotations.from(
                                method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                        .stream(Locked.class)
                        .toList();
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream().filter(it -> it.getAggregateIndex() == nearest).toList();
    }

    /** Returns whether a method has an annotation itself. */
    static boolean isAnnotated(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.DIRECT, RepeatableContainers.standardRepeatables())
                .isPresent(Locked.class);
    }

    private static void requireTokenType(Method method, Parameter parameter) {
        if (!TOKEN_TYPES.contains(parameter.getType())) {
            throw new InvalidLockedMethodException(
                    method,
                    "the parameter with @FencingToken is of the type "
                            + parameter.getType().getName(),
                    "Make it a long, a Long or an OptionalLong.");
        }
    }

    /** Fails if the work of a method may go on after it has returned, and its result does not show when it ends. */
    private static void requireObservableEnd(Method method) {
        Class<?> type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)) {
            if (!type.isAssignableFrom(CompletableFuture.class)) {
                throw new InvalidLockedMethodException(
                        method,
                        "it returns " + type.getName()
                                + ", for which no stage that ends after the release can be given",
                        "Let it return a CompletionStage or a CompletableFuture.");
            }
            return;
        }
        boolean coroutine = method.getParameterCount() > 0
                && method.getParameterTypes()[method.getParameterCount() - 1]
                        .getName()
                        .equals("kotlin.coroutines.Continuation");
        if (coroutine
                || Future.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
            throw new InvalidLockedMethodException(
                    method,
                    (coroutine ? "it is a suspending function" : "it returns " + type.getName())
                            + ", so that the lock would be released while the work goes on",
                    "Let it return a CompletionStage, or lock inside by DistributedLock.acquireAsync().");
        }
    }

    private LockedOperation operation(Method method, Class<?> targetClass, MergedAnnotation<Locked> annotation) {
        Locked.OnTaken onTaken = annotation.getEnum("onTaken", Locked.OnTaken.class);
        String fallback = annotation.getString("fallback");
        if (onTaken == Locked.OnTaken.SKIP) {
            if (!fallback.isEmpty()) {
                throw new InvalidLockedMethodException(
                        method,
                        "it says onTaken = SKIP and names a fallback",
                        "Leave one of the two out: the fallback alone is called when the lock is taken.");
            }
            if (method.getReturnType().isPrimitive() && method.getReturnType() != void.class) {
                throw new InvalidLockedMethodException(
                        method,
                        "it says onTaken = SKIP, and a call that is skipped has no "
                                + method.getReturnType().getName() + " to return",
                        "Return an object, such as an Optional, or name a fallback.");
            }
        }
        return new LockedOperation(
                LockNameTemplate.parse(method, text(annotation, "name"), parameterNames(method, annotation)),
                wait(method, text(annotation, "waitTime")),
                lease(method, text(annotation, "lease")),
                onTaken,
                fallback.isEmpty() ? Optional.empty() : Optional.of(fallback(method, targetClass, fallback)),
                text(annotation, "factory"));
    }

    private String text(MergedAnnotation<Locked> annotation, String attribute) {
        return placeholders.apply(annotation.getString(attribute)).strip();
    }

    /**
     * Returns the names that the annotation can use: those of the method on which it stands, which may be one of an
     * interface.
     */
    private static List<String> parameterNames(Method method, MergedAnnotation<Locked> annotation) {
        @Nullable String @Nullable [] names = null;
        if (annotation.getSource() instanceof Method annotated) {
            names = PARAMETER_NAMES.getParameterNames(annotated);
        }
        if (names == null) {
            names = PARAMETER_NAMES.getParameterNames(method);
        }
        return names == null
                ? List.of()
                : Arrays.stream(names)
                        .map(name -> Objects.requireNonNullElse(name, ""))
                        .toList();
    }

    private Optional<Duration> wait(Method method, String text) {
        if (text.isEmpty()) {
            return Optional.of(defaultWait);
        }
        if (text.equalsIgnoreCase(FOREVER)) {
            return Optional.empty();
        }
        Duration wait = duration(method, "waitTime", text);
        if (wait.isNegative()) {
            throw new InvalidLockedMethodException(
                    method, "waitTime \"" + text + "\" is negative", "Write 0, or \"" + FOREVER + "\".");
        }
        return Optional.of(wait);
    }

    private static Optional<Duration> lease(Method method, String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Duration lease = duration(method, "lease", text);
        if (lease.compareTo(LockOptions.MIN_LEASE) < 0 || lease.compareTo(LockOptions.MAX_LEASE) > 0) {
            throw new InvalidLockedMethodException(
                    method,
                    "lease \"" + text + "\" cannot be used",
                    "Write a duration between " + LockOptions.MIN_LEASE.toMillis() + "ms and "
                            + LockOptions.MAX_LEASE.toDays() + "d.");
        }
        return Optional.of(lease);
    }

    private static Duration duration(Method method, String attribute, String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidLockedMethodException(
                    method,
                    attribute + " \"" + text + "\" is no duration",
                    "Write a number and a unit, such as 500ms, 30s or 5m.");
        }
    }

    private static Method fallback(Method method, Class<?> targetClass, String name) {
        Class<?>[] parameters = method.getParameterTypes();
        Class<?>[] andException = new Class<?>[parameters.length + 1];
        System.arraycopy(parameters, 0, andException, 0, parameters.length);
        andException[parameters.length] = LockTakenException.class;
        Method fallback = ReflectionUtils.findMethod(targetClass, name, andException);
        if (fallback == null) {
            fallback = ReflectionUtils.findMethod(targetClass, name, parameters);
        }
        if (fallback == null) {
            throw new InvalidLockedMethodException(
                    method,
                    "there is no method " + name + " with the same parameters in " + targetClass.getName(),
                    "Add it, with a LockTakenException as the last parameter if it wants to know of it, or correct its"
                            + " name.");
        }
        boolean fits = method.getReturnType() == void.class
                || method.getReturnType().isAssignableFrom(fallback.getReturnType());
        if (!fits) {
            throw new InvalidLockedMethodException(
                    method,
                    "the fallback " + name + " returns "
                            + fallback.getReturnType().getName(),
                    "Let it return " + method.getReturnType().getName() + ".");
        }
        ReflectionUtils.makeAccessible(fallback);
        return fallback;
    }
}
