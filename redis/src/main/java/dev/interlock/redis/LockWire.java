// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockConfig;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Objects;

/**
 * The format in which a lock stands in Redis: our own, or the plain one that clients in other languages share.
 * Instances are immutable and safe to use from any thread.
 *
 * @param isPlain whether the key is the name as it is, and holds an owner token and nothing else
 * @param prefix what stands before the name in a plain key
 * @param suffix what stands behind it
 * @param announce the channel on which a release that frees a plain key announces it, in which {@link #KEY} stands for
 *     the key; empty to announce nothing
 */
public record LockWire(boolean isPlain, String prefix, String suffix, String announce) {
    /** The format of Interlock, which is the default. */
    public static final LockWire INTERLOCK = new LockWire(false, "", "", "");

    /** Stands for the key of the lock in the channel of announcements. */
    public static final String KEY = "{key}";

    private static final StrategyOption WIRE = new StrategyOption(
            "wire",
            "interlock",
            "interlock (keys of our own) or plain (the key is the name as it is, which clients in other languages lock by SET NX PX"
                    + " too; all clients must agree)");
    private static final StrategyOption PREFIX =
            new StrategyOption("wire-prefix", "", "with wire=plain, what stands before the name in the key of a lock");
    private static final StrategyOption SUFFIX =
            new StrategyOption("wire-suffix", "", "with wire=plain, what stands behind the name in the key of a lock");

    /** The option that has releases announced, for strategies that can. */
    public static final StrategyOption ANNOUNCE = new StrategyOption(
            "wire-announce",
            "",
            "with wire=plain, a channel on which each release that frees a lock publishes its key, for clients of other makes that"
                    + " wait for such messages; " + KEY + " in it stands for the key");

    /** The options that say which format it is. */
    public static final List<StrategyOption> OPTIONS = List.of(WIRE, PREFIX, SUFFIX);

    /**
     * Creates a format.
     *
     * @param isPlain whether the key is the name as it is
     * @param prefix what stands before the name in a plain key
     * @param suffix what stands behind it
     * @param announce the channel on which releases are announced; empty to announce nothing
     * @throws IllegalArgumentException if there is a prefix, a suffix or a channel, and the key is not plain
     */
    public LockWire {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(suffix, "suffix");
        Objects.requireNonNull(announce, "announce");
        if (!isPlain && !(prefix.isEmpty() && suffix.isEmpty() && announce.isEmpty())) {
            throw new IllegalArgumentException(
                    "options wire-prefix, wire-suffix and wire-announce are for plain keys: set wire=plain as"
                            + " well, or keyPrefix for keys of our own");
        }
    }

    /**
     * Returns the format that a configuration asks for.
     *
     * @param config the configuration
     * @return the format
     * @throws IllegalArgumentException if an option makes no sense, or a plain key would always be among those of
     *     Interlock
     */
    public static LockWire of(LockConfig config) {
        LockWire wire = new LockWire(
                WIRE.oneOf(config, "interlock", "plain").equals("plain"),
                config.option(PREFIX.name()).orElse(PREFIX.defaultValue()),
                config.option(SUFFIX.name()).orElse(SUFFIX.defaultValue()),
                config.option(ANNOUNCE.name()).orElse(ANNOUNCE.defaultValue()));
        if (wire.prefix.startsWith(config.keyPrefix() + ":")) {
            throw new IllegalArgumentException(
                    "option wire-prefix is \"" + wire.prefix + "\", and keys that begin with \"" + config.keyPrefix()
                            + ":\" are for what Interlock keeps beside the locks: set another keyPrefix");
        }
        return wire;
    }

    /**
     * Returns the names of the keys in this format.
     *
     * @param keyPrefix the prefix of our own keys
     * @return the names
     */
    public LockKeys keys(String keyPrefix) {
        return isPlain ? LockKeys.plain(keyPrefix, prefix, suffix) : new LockKeys(keyPrefix);
    }

    /**
     * Returns the profile of locks in this format.
     *
     * @param own the profile of locks in our own format
     * @return that profile; for plain keys, with a summary that says what holds between our clients and others
     */
    public StrategyProfile profile(StrategyProfile own) {
        if (!isPlain) {
            return own;
        }
        return new StrategyProfile(
                own.summary()
                        + "; with wire=plain, clients of other makes share the key: exclusion, and expiry of a dead holder, hold between"
                        + " theirs and ours; order and fencing tokens hold among ours",
                own.purpose(),
                own.servers(),
                own.capabilities(),
                own.assumptions());
    }
}
