// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the rules in the order of their numbers. */
public final class RuleOrder implements MethodOrderer {
    private static final Pattern RULE = Pattern.compile("rule_(\\d+)_(\\d+)_\\w+");
    private static final int CHAPTER = 1000;

    @Override
    public void orderMethods(MethodOrdererContext context) {
        context.getMethodDescriptors().sort(Comparator.comparingInt(RuleOrder::number));
    }

    /** Permits running rules in parallel, since no rule depends on another. */
    @Override
    public Optional<ExecutionMode> getDefaultExecutionMode() {
        return Optional.empty();
    }

    private static int number(MethodDescriptor method) {
        Matcher matcher = RULE.matcher(method.getMethod().getName());
        return matcher.matches()
                ? Integer.parseInt(matcher.group(1)) * CHAPTER + Integer.parseInt(matcher.group(2))
                : Integer.MAX_VALUE;
    }
}
