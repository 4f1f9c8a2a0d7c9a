// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.LockOptions;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spring.boot.internal.ServerConnection;
import dev.interlock.spring.boot.internal.StrategyBuilder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Creates the lock factories of an application, and closes them at its shutdown. */
final class LockFactories {
    private final LockFactoryProperties defaults;
    private final ServerConnections connections;
    private final ObjectProvider<LockConfigCustomizer> customizers;
    private final ObjectProvider<LockListener> listeners;
    private final ObjectProvider<LockFactoryDecorator> decorators;
    private final List<DistributedLockFactory> made = new CopyOnWriteArrayList<>();

    LockFactories(
            LockFactoryProperties defaults,
            ServerConnections connections,
            ObjectProvider<LockConfigCustomizer> customizers,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockFactoryDecorator> decorators) {
        this.defaults = defaults;
        this.connections = connections;
        this.customizers = customizers;
        this.listeners = listeners;
        this.decorators = decorators;
    }

    /** Makes the factory that has the settings of {@code interlock.*}. */
    DistributedLockFactory create(String name) {
        return createWith(name, defaults);
    }

    /** Creates a factory from these settings; those that are not set come from {@code interlock.*}. */
    DistributedLockFactory create(String name, LockFactoryProperties own) {
        return createWith(name, own.orElse(defaults));
    }

    private DistributedLockFactory createWith(String name, LockFactoryProperties settings) {
        LockStrategyProvider strategy = strategy(name, settings);
        DistributedLockFactory factory;
        try {
            ServerConnection connection = connections.find(name, settings, strategy);
            LockConfig.Builder config = config(settings).endpoints(connection.endpoints());
            listeners.orderedStream().forEach(config::listener);
            customizers.orderedStream().forEach(customizer -> customizer.customize(name, config));
            factory = build(name, strategy, config.build(), connection);
        } catch (IllegalArgumentException e) {
            throw new LockFactoryCreationException(
                    name,
                    String.valueOf(e.getMessage()),
                    "Correct the properties interlock.*"
                            + (defaults == settings ? "" : " or interlock.factories." + name + ".*")
                            + ", or the server's, spring.data.redis.*.",
                    e);
        }
        DistributedLockFactory decorated = factory;
        for (LockFactoryDecorator decorator : decorators.orderedStream().toList()) {
            decorated = decorator.decorate(name, decorated);
        }
        made.add(decorated);
        return decorated;
    }

    private static DistributedLockFactory build(
            String name, LockStrategyProvider strategy, LockConfig config, ServerConnection connection) {
        if (connection.client() == null && connection.sslContext() == null) {
            return DistributedLocks.getInstance(strategy, config);
        }
        Optional<DistributedLockFactory> built =
                StrategyBuilder.of(strategy.name()).flatMap(builder -> builder.build(config, connection));
        return built.orElseThrow(() -> new LockFactoryCreationException(
                name,
                "the strategy " + strategy.name() + " takes "
                        + (connection.client() == null
                                ? "no SSL bundle"
                                : "no client of the type "
                                        + connection.client().getClass().getName()),
                connection.client() == null
                        ? "Put the certificates into the JVM's trust store, name a client bean in"
                                + " interlock.client-bean, or choose another strategy."
                        : "Name another bean by interlock.client-bean, or remove it to let the strategy open its own"
                                + " connections.",
                null));
    }

    private static LockConfig.Builder config(LockFactoryProperties settings) {
        LockConfig.Builder config = LockConfig.builder().lockDefaults(lockDefaults(settings));
        ifSet(settings.getKeyPrefix(), config::keyPrefix);
        ifSet(settings.getCommandTimeout(), config::commandTimeout);
        ifSet(settings.getWaitCeiling(), config::waitCeiling);
        ifSet(settings.getLocalHandoffs(), config::localHandoffs);
        settings.getOption().forEach(config::option);
        return config;
    }

    private static LockOptions lockDefaults(LockFactoryProperties settings) {
        LockOptions.Builder options = LockOptions.builder();
        ifSet(settings.getLease(), options::lease);
        ifSet(settings.getRenewal(), options::renewal);
        ifSet(settings.getMaxHold(), options::maxHold);
        ifSet(settings.getInterruptOnLoss(), options::interruptOnLoss);
        return options.build();
    }

    private static <T> void ifSet(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static LockStrategyProvider strategy(String factory, LockFactoryProperties settings) {
        List<LockStrategyProvider> installed = DistributedLocks.strategies();
        String names = installed.isEmpty()
                ? "none is on the class path"
                : "on the class path are "
                        + installed.stream().map(LockStrategyProvider::name).collect(Collectors.joining(", "));
        String wanted = settings.getStrategy();
        if (wanted == null || wanted.isBlank()) {
            if (installed.size() == 1) {
                return installed.get(0);
            }
            throw new LockFactoryCreationException(
                    factory,
                    "no strategy is chosen, and " + names,
                    installed.isEmpty()
                            ? "Add a strategy, such as dev.interlock:interlock-strategy-set-nx-px."
                            : "Set interlock.strategy to one of them, or leave one on the class path.",
                    null);
        }
        return installed.stream()
                .filter(provider -> provider.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new LockFactoryCreationException(
                        factory,
                        "there is no strategy \"" + wanted + "\"; " + names,
                        "Correct interlock.strategy, or add dev.interlock:interlock-strategy-" + wanted + ".",
                        new NoSuchLockStrategyException(
                                wanted,
                                installed.stream()
                                        .map(LockStrategyProvider::name)
                                        .toList())));
    }

    /** Closes all factories in parallel, because each may wait for its servers. */
    void close() {
        made.parallelStream().forEach(DistributedLockFactory::close);
    }
}
