// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.LockStrategyProvider;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds lock strategies and creates factories of locks.
 *
 * <pre>{@code
 * try (DistributedLockFactory locks = DistributedLocks.getInstance("set-nx-px", LockConfig.of("redis://localhost"))) {
 *     DistributedLock lock = locks.getLock("invoice:42");
 *     lock.lock();
 *     try {
 *         …
 *     } finally {
 *         lock.unlock();
 *     }
 * }
 * }</pre>
 *
 * <p>Strategies are looked up by {@link ServiceLoader} at each call, with the context class loader of the current
 * thread and with the class loader of this class: the first finds what an application brings, and the second what
 * stands beside the API where the first sees none of it, as on a thread of a common pool. A provider class that both
 * find counts once, as the context class loader has it. Nothing is remembered between calls. All methods are safe to
 * use from any thread.
 */
public final class DistributedLocks {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

    private DistributedLocks() {}

    /**
     * Creates a factory of the locks of an installed strategy.
     *
     * @param strategy the exact name of the strategy
     * @param config the configuration
     * @return a new factory, which the caller must close
     * @throws NoSuchLockStrategyException if no strategy of that name is installed
     * @throws IllegalArgumentException if the configuration names another strategy, has an option that this one does
     *     not know, or makes no sense to it
     * @throws IllegalStateException if two installed providers have the same name, or one has a malformed name
     * @throws java.util.ServiceConfigurationError if a provider is announced but cannot be loaded
     */
    public static DistributedLockFactory getInstance(String strategy, LockConfig config) {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(config, "config");
        List<LockStrategyProvider> installed = strategies();
        for (LockStrategyProvider provider : installed) {
            if (provider.name().equals(strategy)) {
                return getInstance(provider, config);
            }
        }
        throw new NoSuchLockStrategyException(
                strategy, installed.stream().map(LockStrategyProvider::name).toList());
    }

    /**
     * Creates a factory of the locks of the strategy that the configuration names, so that a program can change its
     * strategy without a change of code.
     *
     * @param config the configuration, with a {@linkplain LockConfig#strategy() strategy}
     * @return a new factory, which the caller must close
     * @throws NoSuchLockStrategyException if no strategy of that name is installed
     * @throws IllegalArgumentException if the configuration names no strategy, has an option that the strategy does not
     *     know, or makes no sense to it
     * @throws IllegalStateException if two installed providers have the same name, or one has a malformed name
     * @throws java.util.ServiceConfigurationError if a provider is announced but cannot be loaded
     */
    public static DistributedLockFactory getInstance(LockConfig config) {
        return getInstance(
                config.strategy()
                        .orElseThrow(() -> new IllegalArgumentException("the configuration names no strategy: set "
                                + "interlock.strategy, or LockConfig.builder().strategy(…); installed: "
                                + names(strategies()))),
                config);
    }

    /**
     * Creates a factory of the locks of the given provider, without a lookup.
     *
     * @param provider the provider
     * @param config the configuration
     * @return a new factory, which the caller must close
     * @throws IllegalArgumentException if the configuration names another strategy, has an option that this one does
     *     not know, or makes no sense to it
     */
    public static DistributedLockFactory getInstance(LockStrategyProvider provider, LockConfig config) {
        config.strategy().filter(named -> !named.equals(provider.name())).ifPresent(named -> {
            throw new IllegalArgumentException("the configuration is for strategy \"" + named + "\", not for \""
                    + provider.name() + "\": drop one of the two names");
        });
        config.requireKnownOptions(provider);
        return provider.newFactory(config);
    }

    /**
     * Returns the installed strategies.
     *
     * @return their providers, in the order of their names
     * @throws IllegalStateException if two of them have the same name, or one has a malformed name
     * @throws java.util.ServiceConfigurationError if a provider is announced but cannot be loaded
     */
    public static List<LockStrategyProvider> strategies() {
        // By name, since two class loaders may each have a copy of a class.
        Map<String, LockStrategyProvider> providers = new LinkedHashMap<>();
        for (ServiceLoader<LockStrategyProvider> found : List.of(
                ServiceLoader.load(LockStrategyProvider.class),
                ServiceLoader.load(LockStrategyProvider.class, DistributedLocks.class.getClassLoader()))) {
            found.forEach(provider -> providers.putIfAbsent(provider.getClass().getName(), provider));
        }
        return checked(List.copyOf(providers.values()));
    }

    /** Returns the providers in the order of their names, or throws if a name is malformed or taken twice. */
    static List<LockStrategyProvider> checked(List<LockStrategyProvider> providers) {
        List<LockStrategyProvider> sorted = new ArrayList<>(providers);
        sorted.sort(Comparator.comparing(LockStrategyProvider::name));
        for (int i = 0; i < sorted.size(); i++) {
            LockStrategyProvider provider = sorted.get(i);
            if (!NAME.matcher(provider.name()).matches()) {
                throw new IllegalStateException("the lock strategy " + origin(provider) + " is named \""
                        + provider.name() + "\", which is not lower-kebab case");
            }
            if (i > 0 && provider.name().equals(sorted.get(i - 1).name())) {
                throw new IllegalStateException("two lock strategies are named \"" + provider.name() + "\": "
                        + origin(sorted.get(i - 1)) + " and " + origin(provider)
                        + "; remove one of the two jars");
            }
        }
        return List.copyOf(sorted);
    }

    private static String origin(LockStrategyProvider provider) {
        CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
        return provider.getClass().getName()
                + (source == null || source.getLocation() == null ? "" : " in " + source.getLocation());
    }

    private static String names(List<LockStrategyProvider> providers) {
        return providers.isEmpty()
                ? "none"
                : providers.stream().map(LockStrategyProvider::name).collect(Collectors.joining(", "));
    }
}
