// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.LockConfig;
import dev.interlock.conformance.LockHarness;
import dev.interlock.spi.LockStrategyProvider;

/**
 * Servers that are not made to fail, because no proxy can stand before them: where TLS is spoken, or where servers lead
 * clients to each other.
 *
 * @param candidate who is tested
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
