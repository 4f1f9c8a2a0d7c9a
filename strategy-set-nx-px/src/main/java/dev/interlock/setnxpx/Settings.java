// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.StrategyOption;
import dev.interlock.StrategyProfile;
import java.util.List;

/**
 * The options of this strategy.
 *
 * @param lettuce whether to speak to Redis through Lettuce rather than Jedis
 * @param fencing whether to draw fencing tokens
 * @param scripting whether the server may be sent scripts
 */
record Settings(boolean lettuce, boolean fencing, boolean scripting) {
    static final StrategyOption CLIENT = new StrategyOption(
            "client",
            "jedis",
            "jedis (a connection for each thread that is busy, lowest latency) or lettuce (one connection for all; needs"
                    + " io.lettuce:lettuce-core)");
    static final StrategyOption FENCING = new StrategyOption(
            "fencing",
            "true",
            "true draws fencing tokens; false sends a plain SET NX PX and keeps no counter in Redis");
    static final StrategyOption RELEASE = new StrategyOption(
            "release",
            "script",
            "script, or transaction (WATCH, MULTI, EXEC) for servers that allow no scripts; the latter needs fencing=false");

    static final List<StrategyOption> OPTIONS = List.of(CLIENT, FENCING, RELEASE);

    static Settings of(LockConfig config) {
        Settings settings = new Settings(
                CLIENT.oneOf(config, "jedis", "lettuce").equals("lettuce"),
                FENCING.oneOf(config, "true", "false").equals("true"),
                RELEASE.oneOf(config, "script", "transaction").equals("script"));
        if (settings.fencing && !settings.scripting) {
            throw new IllegalArgumentException(
                    "release=transaction cannot draw fencing tokens, which takes a script: set"
                            + " fencing=false as well, or leave release=script");
        }
        return settings;
    }

    StrategyProfile profile() {
        return fencing ? SetNxPxStrategyProvider.PROFILE : SetNxPxStrategyProvider.PROFILE.without(Capability.FENCING);
    }
}
