// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;
import java.util.Set;

/** Provides a strategy under a name of choice whose factories remember their configuration and make no locks. */
public class TestStrategyProvider implements LockStrategyProvider {
    private final String name;

    public TestStrategyProvider() {
        this("test-strategy");
    }

    TestStrategyProvider(String name) {
        this.name = name;
    }

    /** Announces the same name again. */
    public static final class Twin extends TestStrategyProvider {
        public Twin() {
            super("test-strategy");
        }
    }

    /** Announces a name that sorts before that of {@link TestStrategyProvider}. */
    public static final class First extends TestStrategyProvider {
        public First() {
            super("a-first");
        }
    }

    /** A factory that remembers the strategy and the configuration that it was made with. */
    record Factory(String strategy, LockConfig config) implements DistributedLockFactory {
        @Override
        public StrategyProfile profile() {
            return new StrategyProfile("for tests", Set.of(), Set.of());
        }

        @Override
        public DistributedLock getLock(String lockName) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DistributedLock getLock(String lockName, LockOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StrategyProfile profile() {
        return new StrategyProfile("for tests", Set.of(), Set.of());
    }

    @Override
    public List<StrategyOption> options() {
        return List.of(new StrategyOption("drift-factor", "0", "how fast clocks run apart"));
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        return new Factory(name, config);
    }
}
