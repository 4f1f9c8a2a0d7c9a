// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockConfig;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Locale;

/**
 * The options of this strategy.
 *
 * @param client how to speak to Redis
 * @param fencing whether to draw fencing tokens
 * @param scripting whether the server may be sent scripts
 * @param wakeup how waiters learn that the lock is free
 */
record Settings(Client client, boolean fencing, boolean scripting, Wakeup wakeup) {
    /** How to speak to Redis. */
    enum Client {
        JEDIS,
        LETTUCE,
        INTERLOCK
    }

    /** How waiters learn that the lock is free. */
    enum Wakeup {
        /** They wait in a list in Redis, and a release grants the lock to the first. */
        QUEUE,
        /** All are told of a release, and try. */
        PUBSUB,
        /** They ask again and again. */
        POLL
    }

    static final StrategyOption CLIENT = new StrategyOption(
                    "client",
                    "jedis",
                    "jedis (a connection for each thread that is busy, lowest latency), lettuce (one connection for all; needs"
                            + " io.lettuce:lettuce-core) or interlock (few connections for all, which the callers themselves"
                            + " write and read in turn)")
            .mixedWith("lettuce");
    static final StrategyOption FENCING = new StrategyOption(
            "fencing",
            "true",
            "true draws fencing tokens; false sends a plain SET NX PX and keeps no counter in Redis");
    static final StrategyOption RELEASE = new StrategyOption(
            "release",
            "script",
            "script, or transaction (WATCH, MULTI, EXEC) for servers that allow no scripts; the latter needs fencing=false");
    static final StrategyOption WAKEUP = new StrategyOption(
                    "wakeup",
                    "queue",
                    "queue (first come, first served: a release grants the lock to the first waiter), pubsub (a release tells all waiters,"
                            + " who try; the default with release=transaction) or poll (no channels)")
            .mixedWith("poll");

    static final List<StrategyOption> OPTIONS =
            List.of(CLIENT, RedisNodes.SHARED_CONNECTIONS, FENCING, RELEASE, WAKEUP);

    static Settings of(LockConfig config) {
        boolean scripting = RELEASE.oneOf(config, "script", "transaction").equals("script");
        boolean chosen = config.option(WAKEUP.name()).isPresent();
        Wakeup wakeup = scripting || chosen
                ? Wakeup.valueOf(WAKEUP.oneOf(config, "queue", "pubsub", "poll").toUpperCase(Locale.ROOT))
                : Wakeup.PUBSUB;
        Settings settings = new Settings(
                Client.valueOf(
                        CLIENT.oneOf(config, "jedis", "lettuce", "interlock").toUpperCase(Locale.ROOT)),
                FENCING.oneOf(config, "true", "false").equals("true"),
                scripting,
                wakeup);
        if (settings.fencing && !settings.scripting) {
            throw new IllegalArgumentException(
                    "release=transaction cannot draw fencing tokens, which takes a script: set"
                            + " fencing=false as well, or leave release=script");
        }
        if (settings.queues() && !scripting) {
            throw new IllegalArgumentException(
                    "release=transaction cannot grant the lock to the first waiter, which takes a script: set"
                            + " wakeup=pubsub or wakeup=poll, or leave release=script");
        }
        return settings;
    }

    boolean queues() {
        return wakeup == Wakeup.QUEUE;
    }

    StrategyProfile profile() {
        StrategyProfile profile = SetNxPxStrategyProvider.PROFILE;
        if (!fencing) {
            profile = profile.without(Capability.FENCING);
        }
        if (!queues()) {
            profile = profile.without(Capability.FAIR);
        }
        return wakeup == Wakeup.POLL ? profile.without(Capability.PUSH_WAKEUP) : profile;
    }
}
