// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

/** Lets a native image call {@link Locked @Locked} methods, and the methods that they fall back to. */
final class LockedReflectiveProcessor implements ReflectiveProcessor {
    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (!(element instanceof Method method)) {
            return;
        }
        hints.registerMethod(method, ExecutableMode.INVOKE);
        MergedAnnotations.from(method, SearchStrategy.DIRECT, RepeatableContainers.standardRepeatables()).stream(
                        Locked.class)
                .map(annotation -> annotation.getString("fallback"))
                .filter(name -> !name.isEmpty())
                .forEach(name -> {
                    for (Method candidate : ReflectionUtils.getAllDeclaredMethods(method.getDeclaringClass())) {
                        if (candidate.getName().equals(name)) {
                            hints.registerMethod(candidate, ExecutableMode.INVOKE);
                        }
                    }
                });
    }
}
