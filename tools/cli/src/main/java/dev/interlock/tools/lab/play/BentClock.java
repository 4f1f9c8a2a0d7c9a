// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * The clocks of a JVM that show a wrong time to the locks in it. They are right until they are {@linkplain #set set},
 * and can be set at any time.
 *
 * <p>The lab itself measures by the right clock.
 */
public final class BentClock {
    /** The options that the JVM must be started with. */
    static final List<String> JVM_OPTIONS = List.of(
            "-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading", "-Dinterlock.lab.bent-clock=true");

    private static final double NANOS_PER_MILLI = 1e6;

    private static volatile Setting setting = new Setting(System.nanoTime(), System.nanoTime(), 0, 1);

    private BentClock() {}

    /** The state and rate of the clocks from a moment on. */
    private record Setting(long since, long shown, long aheadMillis, double rate) {
        long nanoTime(long now) {
            return shown + Math.round((now - since) * rate);
        }
    }

    /** Returns whether this JVM was started with {@link #JVM_OPTIONS}. */
    static boolean isWanted() {
        return Boolean.getBoolean("interlock.lab.bent-clock");
    }

    /** Makes all lock classes that are loaded from now on read these clocks. */
    static void install() {
        new AgentBuilder.Default()
                .disableClassFormatChanges()
                .type(ofLocks())
                .transform((builder, type, loader, module, domain) ->
                        builder.visit(reading("currentTimeMillis")).visit(reading("nanoTime")))
                .installOn(ByteBuddyAgent.install());
    }

    private static ElementMatcher.Junction<TypeDescription> ofLocks() {
        String here = BentClock.class.getPackageName();
        return nameStartsWith("dev.interlock.")
                .and(not(nameStartsWith(here + ".")))
                .and(not(nameStartsWith("dev.interlock.conformance.history.")));
    }

    private static AsmVisitorWrapper reading(String clock) {
        try {
            return MemberSubstitution.relaxed()
                    .method(named(clock).and(isDeclaredBy(System.class)))
                    .replaceWith(BentClock.class.getMethod(clock))
                    .on(any());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("it stands below", e);
        }
    }

    /**
     * Sets the clocks. The monotonic one goes on from where it is.
     *
     * @param aheadMillis by how much the wall clock is ahead; behind, if negative
     * @param rate how fast both clocks run: 1 is right, 0.5 is half as fast
     */
    static void set(long aheadMillis, double rate) {
        long now = System.nanoTime();
        setting = new Setting(now, setting.nanoTime(now), aheadMillis, rate);
    }

    /**
     * Stands in for {@link System#currentTimeMillis}; called by the classes that {@link #install} has changed.
     *
     * @return the wrong time
     */
    public static long currentTimeMillis() {
        Setting current = setting;
        double elapsedMillis = (System.nanoTime() - current.since) / NANOS_PER_MILLI;
        return System.currentTimeMillis() + current.aheadMillis + Math.round(elapsedMillis * (current.rate - 1));
    }

    /**
     * Stands in for {@link System#nanoTime}; called by the classes that {@link #install} has changed.
     *
     * @return the wrong time
     */
    public static long nanoTime() {
        return setting.nanoTime(System.nanoTime());
    }
}
