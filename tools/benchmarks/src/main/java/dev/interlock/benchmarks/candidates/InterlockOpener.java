// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.spi.Capability;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Opens clients of Interlock. The options are those of the strategy, and the ones below. */
public final class InterlockOpener implements Opener {
    /** The name of the strategy. */
    static final String STRATEGY = "strategy";

    /** See {@link LockConfig#localHandoffs()}. */
    static final String LOCAL_HANDOFFS = "local-handoffs";

    @Override
    public boolean hasReadWriteLocks(Map<String, String> options) {
        // No other program would heed them under plain keys.
        return !options.containsKey("wire") && hasByDefault(Capability.READ_WRITE, options);
    }

    @Override
    public boolean hasConditions(Map<String, String> options) {
        return hasByDefault(Capability.CONDITIONS, options);
    }

    private static boolean hasByDefault(Capability capability, Map<String, String> options) {
        return !options.containsKey("wakeup")
                && DistributedLocks.strategies().stream()
                        .filter(provider -> provider.name().equals(options.get(STRATEGY)))
                        .anyMatch(provider -> provider.profile().supports(capability));
    }

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        LockConfig.Builder config = LockConfig.builder()
                .lockDefaults(LockOptions.builder().lease(terms.lease()).build())
                .endpoints(endpoints.stream().map(URI::toString).collect(Collectors.joining(",")));
        terms.commandTimeout().ifPresent(config::commandTimeout);
        options.forEach((name, value) -> {
            switch (name) {
                case STRATEGY -> {}
                case LOCAL_HANDOFFS -> config.localHandoffs(Integer.parseInt(value));
                default -> config.option(name, value);
            }
        });
        DistributedLockFactory factory =
                DistributedLocks.getInstance(Objects.requireNonNull(options.get(STRATEGY), STRATEGY), config.build());
        return new LockClient(factory::getLock, factory::getReadWriteLock, factory::getLock, factory::close);
    }
}
