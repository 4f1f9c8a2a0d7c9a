// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.reflect.Method;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.MemberSubstitution;

/** The wall clock of a JVM that shows a wrong time to the lock strategies in it. */
public final class SkewedClock {
    /** What the JVM needs to be started with. */
    static final List<String> JVM_OPTIONS =
            List.of("-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading");

    private static volatile long offset;

    private SkewedClock() {}

    /** Shifts the clock for all classes of ours that are loaded from now on. */
    static void shift(long millis) {
        offset = millis;
        Method shifted;
        try {
            shifted = SkewedClock.class.getMethod("currentTimeMillis");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("it stands below", e);
        }
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .type(nameStartsWith("dev.interlock.").and(not(named(SkewedClock.class.getName()))))
                .transform((builder, type, loader, module, domain) -> builder.visit(MemberSubstitution.relaxed()
                        .method(named("currentTimeMillis").and(isDeclaredBy(System.class)))
                        .replaceWith(shifted)
                        .on(any())))
                .installOn(ByteBuddyAgent.install());
    }

    /**
     * Stands in for {@link System#currentTimeMillis}; called by what {@link #shift} has changed.
     *
     * @return the wrong time
     */
    public static long currentTimeMillis() {
        return System.currentTimeMillis() + offset;
    }
}
