// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.inspect.FactoryCards;
import dev.interlock.setnxpx.readwrite.ReadWriteTerms;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The options of this strategy.
 *
 * @param library the client library to speak to Redis with
 * @param fencing whether to draw fencing tokens
 * @param scripting whether the server may be sent scripts
 * @param wakeup how waiters learn that the lock is free
 * @param acknowledgement how many copies of a lock there must be before it is held
 * @param wire in which format a lock stands in Redis
 */
record Settings(
        ClientLibrary library,
        boolean fencing,
        boolean scripting,
        Wakeup wakeup,
        Acknowledgement acknowledgement,
        LockWire wire) {
    /** How waiters learn that the lock is free. */
    enum Wakeup {
        /** Waiters queue in a list in Redis, and a release grants the lock to the first. */
        QUEUE,
        /** All waiters are told of a release, and try. */
        PUBSUB,
        /** Waiters poll. */
        POLL
    }

    static final StrategyOption CLIENT = new StrategyOption(
                    "client",
                    "interlock",
                    "interlock (few connections for all threads, which the callers themselves write and read in turn), jedis (a"
                            + " connection for each thread that is busy) or lettuce (one connection for all; needs"
                            + " io.lettuce:lettuce-core)")
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

    static final StrategyOption REPLICAS = new StrategyOption(
            "replicas",
            "0",
            "how many replicas must acknowledge (WAIT) an acquisition or renewal before it counts; needs release=script");
    static final StrategyOption DURABILITY = new StrategyOption(
            "durability",
            "memory",
            "memory, or disk: an acquisition or renewal counts once the server, and as many replicas as the option says, have"
                    + " written it to disk (WAITAOF; needs Redis 7.2 or newer, or Valkey, with appendonly yes); needs release=script");

    static final List<StrategyOption> OPTIONS = Stream.of(
                    List.of(
                            CLIENT,
                            ConnectionSettings.SHARED_CONNECTIONS,
                            FENCING,
                            RELEASE,
                            WAKEUP,
                            REPLICAS,
                            DURABILITY,
                            FactoryCards.OPTION),
                    LockWire.OPTIONS,
                    List.of(LockWire.ANNOUNCE),
                    ConnectionSettings.POOL_OPTIONS)
            .flatMap(List::stream)
            .toList();

    private static final int MOST_REPLICAS = 1_000;

    static Settings of(LockConfig config) {
        boolean scripting = RELEASE.oneOf(config, "script", "transaction").equals("script");
        LockWire wire = LockWire.of(config);
        boolean chosen = config.option(WAKEUP.name()).isPresent();
        Wakeup withoutScripts = wire.isPlain() ? Wakeup.POLL : Wakeup.PUBSUB;
        Wakeup wakeup = scripting || chosen
                ? Wakeup.valueOf(WAKEUP.oneOf(config, "queue", "pubsub", "poll").toUpperCase(Locale.ROOT))
                : withoutScripts;
        Settings settings = new Settings(
                ClientLibrary.valueOf(
                        CLIENT.oneOf(config, "interlock", "jedis", "lettuce").toUpperCase(Locale.ROOT)),
                FENCING.oneOf(config, "true", "false").equals("true"),
                scripting,
                wakeup,
                new Acknowledgement(
                        replicas(config),
                        DURABILITY.oneOf(config, "memory", "disk").equals("disk")),
                wire);
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
        if (wire.isPlain() && wakeup == Wakeup.PUBSUB) {
            throw new IllegalArgumentException(
                    "wire=plain writes no mark by which a release knows that somebody listens: set wakeup=queue or"
                            + " wakeup=poll, or leave wire=interlock");
        }
        if (!wire.announce().isEmpty() && !scripting) {
            throw new IllegalArgumentException(
                    "release=transaction cannot announce a release, since a transaction that may not use the channel"
                            + " would not free the lock either: leave out wire-announce, or leave release=script");
        }
        if (settings.acknowledgement.isWanted() && !scripting) {
            throw new IllegalArgumentException(
                    "release=transaction cannot wait for replicas or the disk, since its renewal is a"
                            + " transaction: leave out replicas and durability, or leave release=script");
        }
        return settings;
    }

    private static int replicas(LockConfig config) {
        String value =
                config.option(REPLICAS.name()).orElse(REPLICAS.defaultValue()).strip();
        // Four digits at most can be no larger than an int.
        int number = value.matches("\\d{1,4}") ? Integer.parseInt(value) : -1;
        if (number < 0 || number > MOST_REPLICAS) {
            throw new IllegalArgumentException("option " + REPLICAS.name() + " is \"" + value
                    + "\": it must be a number from 0 to " + MOST_REPLICAS);
        }
        return number;
    }

    /** How many fencing tokens a claim reserves. */
    int fences(Claim claim) {
        return fencing ? claim.fences() : 0;
    }

    /** The settings that read/write locks share with the other locks. */
    ReadWriteTerms readWriteTerms(LockConfig config) {
        return new ReadWriteTerms(
                fencing,
                acknowledgement,
                config.commandTimeout(),
                SetNxPxProtocol.FENCE_LIFE,
                ScriptedAttempts.listLife(config),
                Places.LONGEST_HAND_OFF,
                SetNxPxProtocol::validity);
    }

    boolean queues() {
        return wakeup == Wakeup.QUEUE;
    }

    StrategyProfile profile() {
        StrategyProfile profile = SetNxPxStrategyProvider.PROFILE;
        if (wire.isPlain()) {
            profile = withoutReadWrite(wire.profile(profile));
        }
        if (!fencing) {
            profile = profile.without(Capability.FENCING);
        }
        if (!queues()) {
            profile = withoutReadWrite(profile.without(Capability.FAIR).without(Capability.CONDITIONS));
        }
        return wakeup == Wakeup.POLL ? profile.without(Capability.PUSH_WAKEUP) : profile;
    }

    private static StrategyProfile withoutReadWrite(StrategyProfile profile) {
        return profile.without(Capability.READ_WRITE)
                .without(Capability.READ_WRITE_FAIR)
                .without(Capability.READ_WRITE_APART);
    }
}
