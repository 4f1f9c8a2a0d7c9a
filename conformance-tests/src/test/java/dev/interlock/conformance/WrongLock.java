// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A lock in memory that is wrong in one way, and the numbers of the rules that it breaks for that reason. Subclasses override
 * the part that they spoil.
 */
class WrongLock {
    private final String name;
    private final Set<String> breaks;

    WrongLock(String name, String... breaks) {
        this.name = name;
        this.breaks = new TreeSet<>(List.of(breaks));
    }

    /** What is wrong with it, as a sentence in camel case. */
    final String name() {
        return name;
    }

    /** The numbers of the rules that it breaks, such as {@code 4.2}. */
    final Set<String> breaks() {
        return breaks;
    }

    MemoryServer server() {
        return new MemoryServer();
    }

    LeaseProtocol protocol(MemoryServer server, LockConfig config) {
        return new MemoryProtocol(server, config.commandTimeout());
    }

    /** What the server knows the lock of a name by: the name itself, for the sake of those who look there, unless there is a prefix. */
    String key(LockConfig config, String name) {
        return config.keyPrefix().equals(LockConfig.builder().build().keyPrefix())
                ? name
                : config.keyPrefix() + ":{" + name + "}";
    }

    /** What the engine gets for what the kit gave. */
    LockConfig config(LockConfig config) {
        return config;
    }

    /** The endpoints of its harness, to which nothing connects. */
    String endpoints() {
        return "redis://nobody:hush-hush@localhost";
    }

    /** The password of its first endpoint. */
    static Optional<String> password(LockConfig config) {
        return Optional.ofNullable(config.endpoints().get(0).getUserInfo())
                .map(login -> login.substring(login.indexOf(':') + 1));
    }

    String providerName() {
        return "memory";
    }

    StrategyProfile profile() {
        return MemoryHarness.PROFILE;
    }

    List<StrategyOption> options() {
        return List.of(new StrategyOption("unused", "none", "Any value, which has no effect."));
    }

    /** What the kit gets for what the engine made. */
    DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
        return correct;
    }

    @Override
    public final String toString() {
        return name;
    }
}
