// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.memory;

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
 * A lock in memory with one defect, and the numbers of the rules that it breaks because of it. Subclasses override the
 * part that they break.
 */
public class WrongLock {
    private final String name;
    private final Set<String> breaks;
    private Set<String> races = Set.of();

    public WrongLock(String name, String... breaks) {
        this.name = name;
        this.breaks = new TreeSet<>(List.of(breaks));
    }

    /** The defect, as a sentence in camel case. */
    public final String name() {
        return name;
    }

    /** The numbers of the rules that it always breaks, such as {@code 4.2}. */
    public final Set<String> breaks() {
        return breaks;
    }

    /** The numbers of the rules that it breaks only if a race goes against it. */
    public final Set<String> races() {
        return races;
    }

    /** Sets the rules that it breaks only if a race goes against it. */
    public final WrongLock races(String... rules) {
        races = Set.of(rules);
        return this;
    }

    protected MemoryServer server() {
        return new MemoryServer();
    }

    protected LeaseProtocol protocol(MemoryServer server, LockConfig config) {
        return new MemoryProtocol(server, config.commandTimeout());
    }

    /** The key of a lock on the server: its name, which is easy to read, unless there is a prefix. */
    protected String key(LockConfig config, String name) {
        return config.keyPrefix().equals(LockConfig.builder().build().keyPrefix())
                ? name
                : config.keyPrefix() + ":{" + name + "}";
    }

    /** The configuration that the engine gets for that of the kit. */
    protected LockConfig config(LockConfig config) {
        return config;
    }

    /** The endpoints of its harness, to which nothing connects. */
    protected String endpoints() {
        return "redis://nobody:hush-hush@localhost";
    }

    /** The password of its first endpoint. */
    public static Optional<String> password(LockConfig config) {
        return Optional.ofNullable(config.endpoints().get(0).getUserInfo())
                .map(login -> login.substring(login.indexOf(':') + 1));
    }

    protected String providerName() {
        return "memory";
    }

    protected StrategyProfile profile() {
        return MemoryHarness.PROFILE;
    }

    protected List<StrategyOption> options() {
        return List.of(new StrategyOption("unused", "none", "Any value, which has no effect."));
    }

    /** The factory that the kit gets for that of the engine. */
    protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
        return correct;
    }

    @Override
    public final String toString() {
        return name;
    }
}
