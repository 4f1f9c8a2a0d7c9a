// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.LockConfig;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The options of this strategy.
 *
 * @param holdsInRedis whether a plain lock can see how often the current thread holds the lock
 * @param fencing whether to draw fencing tokens
 * @param tokenLife for how long the last token is kept after an acquisition, or empty if it is kept for ever
 */
record Settings(boolean holdsInRedis, boolean fencing, Optional<Duration> tokenLife) {
    static final StrategyProfile PROFILE = new StrategyProfile(
            "Redisson's lock, which excludes and wakes plain RLocks: a hash of owner and holds, and a message at each release",
            "share locks with programs that use Redisson's RLock",
            ServerNeeds.ONE,
            EnumSet.of(
                    Capability.REENTRANT,
                    Capability.AUTO_RENEWAL,
                    Capability.FENCING,
                    Capability.PUSH_WAKEUP,
                    Capability.SAFE_RELEASE,
                    Capability.READ_WRITE,
                    Capability.SEVERAL_NAMES),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.NO_EVICTION,
                    Assumption.RESTART_KEEPS_DATA));

    private static final String FOR_EVER = "forever";

    /** Longer than clocks are usually set back, since tokens are drawn from the time. */
    private static final Duration SHORTEST_LIFE = Duration.ofHours(1);

    private static final Duration LONGEST_LIFE = Duration.ofDays(10_000);

    static final StrategyOption HOLDS = new StrategyOption(
                    "holds",
                    "local",
                    "local counts re-entries in this JVM; redis writes each count into the lock, where getHoldCount() of a plain RLock of"
                            + " the same client and thread sees it, for a round trip each")
            .mixedWith("redis");
    static final StrategyOption FENCING = new StrategyOption(
            "fencing", "true", "true draws fencing tokens from the counter of RFencedLock; false draws none");
    static final StrategyOption TOKEN_LIFE = new StrategyOption(
            "token-life",
            FOR_EVER,
            "for how long a counter of fencing tokens is kept after an acquisition, unless an RFencedLock made it, or forever: a"
                    + " plain RFencedLock that finds none begins at 1");

    static final List<StrategyOption> OPTIONS = List.of(HOLDS, FENCING, TOKEN_LIFE, FactoryCards.OPTION);

    static Settings of(LockConfig config) {
        return new Settings(
                HOLDS.oneOf(config, "local", "redis").equals("redis"),
                FENCING.oneOf(config, "true", "false").equals("true"),
                tokenLife(config));
    }

    private static Optional<Duration> tokenLife(LockConfig config) {
        String life = config.option(TOKEN_LIFE.name()).orElse(FOR_EVER);
        return life.strip().equalsIgnoreCase(FOR_EVER)
                ? Optional.empty()
                : Optional.of(TOKEN_LIFE.duration(config, SHORTEST_LIFE, LONGEST_LIFE));
    }

    /** Returns the profile, which depends on whether the client can subscribe. */
    StrategyProfile profile(boolean listening) {
        StrategyProfile profile = fencing ? PROFILE : PROFILE.without(Capability.FENCING);
        return listening ? profile : profile.without(Capability.PUSH_WAKEUP);
    }
}
