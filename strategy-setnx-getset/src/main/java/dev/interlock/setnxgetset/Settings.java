// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LockConfig;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The options of this strategy.
 *
 * @param library the client library to speak to Redis with
 * @param keyStart the prefix of the keys
 * @param format how timestamps are written
 * @param clock the clock with which timestamps are compared
 * @param maxAhead how far ahead a timestamp may be
 */
record Settings(ClientLibrary library, String keyStart, TimestampFormat format, ClockChoice clock, Duration maxAhead) {
    /** The clock that timestamps are compared with. */
    enum ClockChoice {
        CLIENT,
        SERVER,
        OBSERVED
    }

    private static final String SUMMARY =
            "One Redis server, before SET had options: SETNX a timestamp, GETSET one that has passed; waiters poll, and a client that"
                    + " sends GETSET without a guard can move the end of another's lease";

    private static final String PURPOSE = "share keys with programs that lock by SETNX and GETSET";

    private static final Duration LEAST_AHEAD = Duration.ofSeconds(2);
    private static final Duration MOST_AHEAD = Duration.ofDays(365);

    /** The prefix of the historical keys. */
    private static final String HISTORICAL_START = "lock.";

    static final StrategyOption CLIENT = new StrategyOption(
                    "client",
                    "interlock",
                    "interlock (few connections for all threads, which the callers themselves write and read in turn) or jedis (a"
                            + " connection for each thread that is busy)")
            .mixedWith("jedis");
    static final StrategyOption UNIT = new StrategyOption(
            "unit",
            "seconds",
            "seconds or milliseconds: what the timestamps in the keys count, the same for all users");
    static final StrategyOption FRACTION = new StrategyOption(
            "fraction",
            "true",
            "true writes digits behind the point that make each timestamp its holder's own; false writes whole numbers, for"
                    + " users that can read nothing else, and gives up SAFE_RELEASE");
    static final StrategyOption CLOCK = new StrategyOption(
                    "clock",
                    "client",
                    "client compares timestamps with this machine's clock; server with that of Redis; observed with none: a waiter"
                            + " takes over what it has seen unchanged for a whole lease")
            .mixedWith("server");
    static final StrategyOption MAX_AHEAD = new StrategyOption(
            "clock-max-ahead",
            "8d",
            "how far ahead a timestamp may be before it is an error, and how long clock=observed looks at one that does not"
                    + " tell its lease: a little more than the longest lease in use");

    static final List<StrategyOption> OPTIONS = Stream.concat(
                    Stream.of(CLIENT, ConnectionSettings.SHARED_CONNECTIONS, UNIT, FRACTION, CLOCK, MAX_AHEAD),
                    ConnectionSettings.POOL_OPTIONS.stream())
            .toList();

    static Settings of(LockConfig config) {
        boolean defaultPrefix =
                config.keyPrefix().equals(LockConfig.builder().build().keyPrefix());
        return new Settings(
                ClientLibrary.valueOf(CLIENT.oneOf(config, "interlock", "jedis").toUpperCase(Locale.ROOT)),
                (defaultPrefix ? "" : config.keyPrefix() + ":") + HISTORICAL_START,
                new TimestampFormat(
                        UNIT.oneOf(config, "seconds", "milliseconds").equals("seconds"),
                        FRACTION.oneOf(config, "true", "false").equals("true")),
                ClockChoice.valueOf(
                        CLOCK.oneOf(config, "client", "server", "observed").toUpperCase(Locale.ROOT)),
                MAX_AHEAD.duration(config, LEAST_AHEAD, MOST_AHEAD));
    }

    String key(String name) {
        return keyStart + name;
    }

    StrategyProfile profile() {
        EnumSet<Capability> capabilities =
                EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.SEVERAL_NAMES);
        if (format.fraction()) {
            capabilities.add(Capability.SAFE_RELEASE);
        }
        EnumSet<Assumption> assumptions = EnumSet.of(
                Assumption.BOUNDED_CLOCK_RATES,
                Assumption.NO_FAILOVER,
                Assumption.NO_EVICTION,
                Assumption.RESTART_KEEPS_DATA);
        switch (clock) {
            case CLIENT -> assumptions.add(Assumption.CLIENT_CLOCKS_AGREE);
            case SERVER -> assumptions.add(Assumption.SERVER_CLOCK_STEADY);
            case OBSERVED -> {
                // No clock of a client or server decides when a lease is over.
            }
        }
        return new StrategyProfile(SUMMARY, PURPOSE, ServerNeeds.ONE, capabilities, assumptions);
    }
}
