// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.util.ClassUtils;

/** Makes factories of one strategy from what only its own builder takes: a client, or certificates. */
public interface StrategyBuilder {
    /**
     * Makes a factory.
     *
     * @param config the configuration, with the endpoints of the connection
     * @param connection has a client or certificates
     * @return the factory, or empty if the strategy does not take them
     */
    Optional<DistributedLockFactory> build(LockConfig config, ServerConnection connection);

    /** Returns the builder of a strategy, or empty if there is none or the strategy is not there. */
    static Optional<StrategyBuilder> of(String strategy) {
        // Each is a class of its own, so that the types of a strategy that is not there are never looked for.
        return switch (strategy) {
            case "set-nx-px" -> ifPresent("dev.interlock.setnxpx.SetNxPxLocks", SetNxPxBuilder::new);
            case "setnx-getset" -> ifPresent("dev.interlock.setnxgetset.SetnxGetsetLocks", SetnxGetsetBuilder::new);
            case "redlock" -> ifPresent("dev.interlock.redlock.RedlockLocks", RedlockBuilder::new);
            case "redisson" -> ifPresent("dev.interlock.redisson.RedissonLocks", RedissonBuilder::new);
            default -> Optional.empty();
        };
    }

    private static Optional<StrategyBuilder> ifPresent(String type, Supplier<StrategyBuilder> builder) {
        return ClassUtils.isPresent(type, StrategyBuilder.class.getClassLoader())
                ? Optional.of(builder.get())
                : Optional.empty();
    }
}
