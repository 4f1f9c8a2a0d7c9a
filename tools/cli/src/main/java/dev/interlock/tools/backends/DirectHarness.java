// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.LockConfig;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.spi.LockStrategyProvider;

/**
 * A harness without faults, for servers that cannot be put behind a proxy: those with TLS, and those that redirect
 * clients to each other.
 *
 * @param candidate the strategy under test
 * @param endpoints the servers; may hold passwords
 */
public record DirectHarness(ConfiguredStrategy candidate, String endpoints) implements LockHarness {
    private static final String KEY_PREFIX = "interlock-kit";

    @Override
    public LockStrategyProvider provider() {
        return candidate.provider();
    }

    @Override
    public LockConfig config() {
        return candidate.configure(LockConfig.builder().endpoints(endpoints).keyPrefix(KEY_PREFIX));
    }

    @Override
    public boolean reachableFromOtherProcesses() {
        return true;
    }
}
