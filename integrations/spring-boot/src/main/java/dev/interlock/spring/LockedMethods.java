// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The {@link Locked @Locked} methods of all beans. Each is read once, when Spring decides whether to intercept it.
 */
final class LockedMethods extends StaticMethodMatcherPointcut {
    private static final int UNSEEN = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;

    private final LockedMethodReader reader;
    private final Consumer<LockedMethod> onFound;
    private final Map<MethodClassKey, Optional<LockedMethod>> methods = new ConcurrentHashMap<>();
    private final Set<Class<?>> examined = ConcurrentHashMap.newKeySet();

    /**
     * Creates an empty collection of methods.
     *
     * @param onFound told of each method that is read
     */
    LockedMethods(LockedMethodReader reader, Consumer<LockedMethod> onFound) {
        this.reader = reader;
        this.onFound = onFound;
        setClassFilter(this::mayHaveAnnotations);
    }

    private boolean mayHaveAnnotations(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
            return false;
        }
        Class<?> userClass = ClassUtils.getUserClass(type);
        // A class that was refused is refused again.
        if (!examined.contains(userClass)) {
            requireInterceptable(userClass);
            examined.add(userClass);
        }
        return true;
    }

    /** Fails if a method has an annotation that Spring would silently ignore. */
    private static void requireInterceptable(Class<?> type) {
        ReflectionUtils.doWithMethods(
                type,
                method -> {
                    throw new InvalidLockedMethodException(
                            method,
                            "it is " + Modifier.toString(method.getModifiers() & UNSEEN)
                                    + ", and no proxy can intercept such a method",
                            "Make it a method that can be overridden, or lock inside by a DistributedLockFactory.");
                },
                method -> (method.getModifiers() & UNSEEN) != 0 && LockedMethodReader.isAnnotated(method));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass).isPresent();
    }

    /** Returns a method that was called, or is about to be intercepted, with its annotations; empty if it has none. */
    Optional<LockedMethod> find(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        MethodClassKey key = new MethodClassKey(specific, targetClass);
        Optional<LockedMethod> known = methods.get(key);
        if (known != null) {
            return known;
        }
        Optional<LockedMethod> read = reader.read(specific, targetClass);
        Optional<LockedMethod> before = methods.putIfAbsent(key, read);
        if (before != null) {
            return before;
        }
        read.ifPresent(onFound);
        return read;
    }

    /** Returns the methods that were read so far. */
    List<LockedMethod> found() {
        return methods.values().stream().flatMap(Optional::stream).toList();
    }
}
