// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The name of a lock, with expressions that are evaluated for each call. */
final class LockNameTemplate {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern REFERENCE = Pattern.compile("#([A-Za-z_$][A-Za-z0-9_$]*)");
    private static final Pattern BY_POSITION = Pattern.compile("[ap]\\d+");
    private static final Set<String> OBJECTS = Set.of("root", "this");

    private final Method method;
    private final String text;
    private final List<Expression> parts;
    private final List<String> parameters;

    private LockNameTemplate(Method method, String text, List<Expression> parts, List<String> parameters) {
        this.method = method;
        this.text = text;
        this.parts = parts;
        this.parameters = parameters;
    }

    /**
     * Reads a template.
     *
     * @param parameters the names of the parameters of the method; empty if they are not known
     * @throws InvalidLockedMethodException if the text is no template, or refers to a parameter that does not exist
     */
    static LockNameTemplate parse(Method method, String text, List<String> parameters) {
        if (text.isBlank()) {
            throw new InvalidLockedMethodException(
                    method, "it has no name of a lock", "Name the lock, as in @Locked(\"invoice:#{#id}\").");
        }
        List<Expression> parts = parts(method, text);
        for (Expression part : parts) {
            if (part instanceof LiteralExpression) {
                requireNoReference(method, part.getExpressionString(), parameters);
            } else if (part instanceof SpelExpression expression) {
                requireKnownVariables(method, expression.getAST(), parameters);
            }
        }
        return new LockNameTemplate(method, text, parts, parameters);
    }

    private static List<Expression> parts(Method method, String text) {
        Expression whole;
        try {
            whole = PARSER.parseExpression(text, new TemplateParserContext());
        } catch (ParseException e) {
            throw new InvalidLockedMethodException(
                    method,
                    "the name \"" + text + "\" cannot be read: " + e.getSimpleMessage(),
                    "Write text with expressions in #{…}, as in @Locked(\"invoice:#{#id}\").");
        }
        return whole instanceof CompositeStringExpression composite
                ? List.of(composite.getExpressions())
                : List.of(whole);
    }

    /** Fails if text outside of an expression looks like one: all calls would share a lock. */
    private static void requireNoReference(Method method, String literal, List<String> parameters) {
        Matcher matcher = REFERENCE.matcher(literal);
        while (matcher.find()) {
            if (parameters.contains(matcher.group(1))) {
                throw new InvalidLockedMethodException(
                        method,
                        "the name has " + matcher.group() + " outside of an expression, where it is mere text",
                        "Write #{" + matcher.group() + "} instead.");
            }
        }
    }

    private static void requireKnownVariables(Method method, SpelNode node, List<String> parameters) {
        if (node instanceof VariableReference) {
            String variable = node.toStringAST().substring(1);
            if (!OBJECTS.contains(variable)
                    && !BY_POSITION.matcher(variable).matches()
                    && !parameters.contains(variable)) {
                throw new InvalidLockedMethodException(
                        method,
                        "the name refers to #" + variable + ", which is no parameter of the method",
                        parameters.isEmpty()
                                ? "Compile with the option -parameters, or refer to parameters by position, as in #{#p0}."
                                : "Its parameters are "
                                        + parameters.stream()
                                                .map(it -> "#" + it)
                                                .collect(Collectors.joining(", "))
                                        + ".");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireKnownVariables(method, node.getChild(i), parameters);
        }
    }

    /**
     * Returns the name for a call.
     *
     * @throws IllegalArgumentException if one of the expressions evaluates to null
     */
    String evaluate(Object target, @Nullable Object[] arguments, BeanResolver beans) {
        StandardEvaluationContext context = new StandardEvaluationContext(target);
        context.setBeanResolver(beans);
        for (int i = 0; i < arguments.length; i++) {
            context.setVariable("p" + i, arguments[i]);
            context.setVariable("a" + i, arguments[i]);
            if (i < parameters.size()) {
                context.setVariable(parameters.get(i), arguments[i]);
            }
        }
        List<String> values = new ArrayList<>();
        for (Expression part : parts) {
            Object value = part.getValue(context);
            if (value == null) {
                throw new IllegalArgumentException("@Locked on " + InvalidLockedMethodException.describe(method)
                        + ": the expression " + part.getExpressionString() + " in the name \"" + text
                        + "\" is null, and calls that have nothing in common would share a lock: pass a value");
            }
            values.add(value.toString());
        }
        return String.join("", values);
    }
}
