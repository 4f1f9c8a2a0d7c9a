// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lists what of some classes can be used from outside their package: types and members with all that callers,
 * subclasses and compilers see of them, in an order that depends on names alone.
 */
final class ApiListing {
    private static final int PROMISED = Modifier.PUBLIC | Modifier.PROTECTED;
    private static final int SHOWN = PROMISED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;

    private static final Pattern INTERNAL = Pattern.compile("^dev\\.interlock\\..*\\binternal\\b");

    private ApiListing() {}

    static String of(Collection<Class<?>> classes) {
        return classes.stream()
                .filter(ApiListing::isAccessible)
                .sorted(Comparator.comparing(Class::getName))
                .map(ApiListing::list)
                .collect(Collectors.joining());
    }

    /** Returns whether code of other packages can name a type, and may. */
    private static boolean isAccessible(Class<?> type) {
        if (INTERNAL.matcher(type.getPackageName()).find()) {
            return false;
        }
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            if (!isPromised(at.getModifiers()) || at.isAnonymousClass() || at.isLocalClass() || at.isSynthetic()) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPromised(int modifiers) {
        return (modifiers & PROMISED) != 0;
    }

    private static String list(Class<?> type) {
        StringBuilder text = new StringBuilder("\n").append(header(type)).append('\n');
        if (type.isEnum()) {
            // In their order, which compareTo shows.
            for (Object constant : type.getEnumConstants()) {
                String name = ((Enum<?>) constant).name();
                text.append("    ")
                        .append(annotations(field(type, name)))
                        .append(name)
                        .append('\n');
            }
        }
        Map<String, String> members = new TreeMap<>();
        addMembers(type, type, members);
        members.values().forEach(member -> text.append("    ").append(member).append('\n'));
        return text.toString();
    }

    private static Field field(Class<?> type, String name) {
        try {
            return type.getField(name);
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }

    private static String header(Class<?> type) {
        StringBuilder text = new StringBuilder(annotations(type));
        text.append(modifiers(type.getModifiers()
                & (type.isInterface() || type.isEnum() ? ~(Modifier.ABSTRACT | Modifier.FINAL) : ~0)));
        if (type.isSealed() && !type.isEnum()) {
            text.append("sealed ");
        }
        text.append(kind(type))
                .append(' ')
                .append(type.getCanonicalName())
                .append(parameters(type.getTypeParameters()));
        if (type.isRecord()) {
            text.append(Stream.of(type.getRecordComponents())
                    .map(ApiListing::component)
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        Class<?> parent = type.getSuperclass();
        if (parent != null && parent != Object.class && !type.isEnum() && !type.isRecord() && isAccessible(parent)) {
            text.append(" extends ").append(show(type.getAnnotatedSuperclass()));
        }
        if (type.getInterfaces().length > 0 && !type.isAnnotation()) {
            text.append(type.isInterface() ? " extends " : " implements ")
                    .append(join(type.getAnnotatedInterfaces(), ApiListing::show, ", "));
        }
        if (type.isSealed() && !type.isEnum()) {
            text.append(Stream.of(type.getPermittedSubclasses())
                    .map(Class::getCanonicalName)
                    .sorted()
                    .collect(Collectors.joining(", ", " permits ", "")));
        }
        return text.toString();
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        return type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private static String component(RecordComponent component) {
        return show(component.getAnnotatedType()) + " " + component.getName();
    }

    /**
     * Adds what a type declares, and what it has from types above it that cannot be named from outside and does not
     * override. Fields come first, then constructors, then methods, each by name.
     */
    private static void addMembers(Class<?> type, Class<?> declaring, Map<String, String> members) {
        for (Field field : declaring.getDeclaredFields()) {
            if (isShown(type, field.getModifiers(), field.isSynthetic()) && !field.isEnumConstant()) {
                members.putIfAbsent(
                        "1 " + field.getName(),
                        annotations(field)
                                + modifiers(field.getModifiers())
                                + show(field.getAnnotatedType())
                                + " "
                                + field.getName());
            }
        }
        if (type == declaring) {
            for (Executable constructor : type.getDeclaredConstructors()) {
                if (isShown(type, constructor.getModifiers(), constructor.isSynthetic())) {
                    members.put("2 " + erasure(constructor), signature(constructor, type.getSimpleName()));
                }
            }
        }
        for (Method method : declaring.getDeclaredMethods()) {
            if (isShown(type, method.getModifiers(), method.isSynthetic())) {
                members.putIfAbsent(
                        "3 " + method.getName() + " " + erasure(method),
                        signature(method, show(method.getAnnotatedReturnType()) + " " + method.getName())
                                + (method.getDefaultValue() == null
                                        ? ""
                                        : " default " + value(method.getDefaultValue())));
            }
        }
        Stream.concat(Stream.ofNullable(declaring.getSuperclass()), Stream.of(declaring.getInterfaces()))
                .filter(above -> !isAccessible(above))
                .forEach(above -> addMembers(type, above, members));
    }

    /** Protected members are not shown if the class can have no subclasses elsewhere. */
    private static boolean isShown(Class<?> type, int modifiers, boolean synthetic) {
        boolean open = !Modifier.isFinal(type.getModifiers()) && !type.isSealed();
        return !synthetic && (Modifier.isPublic(modifiers) || (open && Modifier.isProtected(modifiers)));
    }

    /** Returns the erased signature, by which a method overrides another one. */
    private static String erasure(Executable member) {
        return join(member.getParameterTypes(), Class::getName, ",");
    }

    /**
     * Compilers do not agree on whether the canonical constructor of a record keeps the type arguments of its
     * parameters.
     */
    private static AnnotatedType[] parameterTypes(Executable member) {
        RecordComponent[] components = member.getDeclaringClass().getRecordComponents();
        boolean isCanonical = member instanceof Constructor
                && components != null
                && Arrays.equals(
                        member.getParameterTypes(),
                        Stream.of(components).map(RecordComponent::getType).toArray(Class[]::new));
        return isCanonical
                ? Stream.of(components).map(RecordComponent::getAnnotatedType).toArray(AnnotatedType[]::new)
                : member.getAnnotatedParameterTypes();
    }

    private static String signature(Executable member, String resultAndName) {
        AnnotatedType[] parameters = parameterTypes(member);
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < parameters.length; i++) {
            String text = show(parameters[i]);
            boolean last = i == parameters.length - 1;
            shown.add(last && member.isVarArgs() ? text.substring(0, text.length() - 2) + "..." : text);
        }
        boolean isDefault = member instanceof Method method && method.isDefault();
        String variables = parameters(member.getTypeParameters());
        return annotations(member)
                + modifiers(member.getModifiers())
                + (isDefault ? "default " : "")
                + variables
                + (variables.isEmpty() ? "" : " ")
                + resultAndName
                + "("
                + String.join(", ", shown)
                + ")"
                + (member.getExceptionTypes().length == 0
                        ? ""
                        : " throws " + join(member.getAnnotatedExceptionTypes(), ApiListing::show, ", "));
    }

    private static String modifiers(int modifiers) {
        String text = Modifier.toString(modifiers & SHOWN);
        return text.isEmpty() ? "" : text + " ";
    }

    private static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : "<"
                        + join(
                                variables,
                                variable -> variable.getName() + " extends "
                                        + join(variable.getAnnotatedBounds(), ApiListing::show, " & "),
                                ", ")
                        + ">";
    }

    /** Shows a use of a type, with its annotations where a compiler heeds them, such as {@code @Nullable}. */
    private static String show(AnnotatedType type) {
        String annotations = annotations(type);
        if (type instanceof AnnotatedArrayType array) {
            return show(array.getAnnotatedGenericComponentType())
                    + (annotations.isEmpty() ? "" : " " + annotations)
                    + "[]";
        }
        if (type instanceof AnnotatedTypeVariable) {
            return annotations + type.getType().getTypeName();
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
            return annotations
                    + (lower.length > 0
                            ? "? super " + show(lower[0])
                            : "? extends " + show(wildcard.getAnnotatedUpperBounds()[0]));
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            return annotations
                    + raw(((ParameterizedType) type.getType()).getRawType())
                    + "<"
                    + join(generic.getAnnotatedActualTypeArguments(), ApiListing::show, ", ")
                    + ">";
        }
        return annotations + raw(type.getType());
    }

    private static String raw(Type type) {
        return ((Class<?>) type).getCanonicalName().replaceFirst("^java\\.lang\\.(?=[A-Z])", "");
    }

    private static String annotations(AnnotatedElement element) {
        return Stream.of(element.getDeclaredAnnotations())
                .map(annotation -> annotation(annotation) + " ")
                .sorted()
                .collect(Collectors.joining());
    }

    /** Shows an annotation with those of its values that are not the default. */
    private static String annotation(Annotation annotation) {
        String values = Stream.of(annotation.annotationType().getDeclaredMethods())
                .sorted(Comparator.comparing(Method::getName))
                .filter(method -> !value(invoke(method, annotation)).equals(value(method.getDefaultValue())))
                .map(method -> method.getName() + "=" + value(invoke(method, annotation)))
                .collect(Collectors.joining(", "));
        return "@" + annotation.annotationType().getSimpleName() + (values.isEmpty() ? "" : "(" + values + ")");
    }

    private static Object invoke(Method method, Annotation annotation) {
        try {
            return method.invoke(annotation);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String value(Object value) {
        if (value instanceof Class<?> type) {
            return type.getCanonicalName();
        }
        if (value instanceof Annotation annotation) {
            return annotation(annotation);
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value != null && value.getClass().isArray()) {
            return Stream.iterate(0, i -> i < Array.getLength(value), i -> i + 1)
                    .map(i -> value(Array.get(value, i)))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return value instanceof String text ? '"' + text + '"' : String.valueOf(value);
    }

    private static <T> String join(T[] parts, Function<? super T, String> show, String separator) {
        return Arrays.stream(parts).map(show).collect(Collectors.joining(separator));
    }
}
