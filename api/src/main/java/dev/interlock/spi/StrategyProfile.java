// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * The profile of a strategy: a description, its purpose, its capabilities and its assumptions.
 *
 * <p>Instances are immutable and safe to use from any thread.
 *
 * @param summary the algorithm in one sentence
 * @param purpose what the strategy is for, in words that follow "to", such as "share locks with programs that use X";
 *     empty if the strategy does not say
 * @param servers how many servers it wants, and what they are to each other
 * @param capabilities what it promises, in the order of the enum
 * @param assumptions what must be true for two holders never to be there at once, in the order of the enum
 */
public record StrategyProfile(
        String summary,
        String purpose,
        ServerNeeds servers,
        Set<Capability> capabilities,
        Set<Assumption> assumptions) {
    /**
     * Creates a profile.
     *
     * @param summary the algorithm in one sentence
     * @param purpose what the strategy is for, in words that follow "to"
     * @param servers how many servers it wants, and what they are to each other
     * @param capabilities what it promises; copied
     * @param assumptions what must be true; copied
     */
    public StrategyProfile {
        Objects.requireNonNull(summary, "summary");
        Objects.requireNonNull(purpose, "purpose");
        Objects.requireNonNull(servers, "servers");
        capabilities = copy(Capability.class, capabilities);
        assumptions = copy(Assumption.class, assumptions);
    }

    /**
     * Creates a profile of a strategy that wants one server, and does not say what it is for.
     *
     * @param summary the algorithm in one sentence
     * @param capabilities what it promises; copied
     * @param assumptions what must be true; copied
     */
    public StrategyProfile(String summary, Set<Capability> capabilities, Set<Assumption> assumptions) {
        this(summary, "", ServerNeeds.ONE, capabilities, assumptions);
    }

    private static <E extends Enum<E>> Set<E> copy(Class<E> type, Collection<E> values) {
        EnumSet<E> copy = EnumSet.noneOf(type);
        copy.addAll(values);
        return Collections.unmodifiableSet(copy);
    }

    /**
     * Tells whether a capability is promised.
     *
     * @param capability the capability
     * @return {@code true} if it is promised
     */
    public boolean supports(Capability capability) {
        return capabilities.contains(capability);
    }

    /**
     * Returns this profile without some of its capabilities, for a factory whose configuration switches them off.
     *
     * @param switchedOff the capabilities that are not promised after all
     * @return a profile like this one that lacks them
     */
    public StrategyProfile without(Capability... switchedOff) {
        EnumSet<Capability> left = EnumSet.noneOf(Capability.class);
        left.addAll(capabilities);
        for (Capability capability : switchedOff) {
            left.remove(capability);
        }
        return new StrategyProfile(summary, purpose, servers, left, assumptions);
    }
}
