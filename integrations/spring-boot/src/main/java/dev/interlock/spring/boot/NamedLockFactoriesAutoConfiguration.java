// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLockFactory;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of a {@link DistributedLockFactory} for each {@code interlock.factories.<name>}, which is injected
 * where its name qualifies it.
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@Import(NamedLockFactoriesAutoConfiguration.Registrar.class)
public final class NamedLockFactoriesAutoConfiguration {
    NamedLockFactoriesAutoConfiguration() {}

    /**
     * Registers the beans. Public, because code that is generated ahead of time calls it from a package of the
     * application.
     */
    public static final class Registrar implements BeanRegistrar {
        /** Creates a registrar. */
        public Registrar() {}

        @Override
        public void register(BeanRegistry registry, Environment environment) {
            InterlockProperties properties =
                    Binder.get(environment).bindOrCreate("interlock", InterlockProperties.class);
            properties
                    .getFactories()
                    .forEach((name, settings) -> registry.registerBean(
                            name,
                            DistributedLockFactory.class,
                            // Where no name is given, that of interlock.* is meant.
                            spec -> spec.fallback()
                                    .supplier(context ->
                                            context.bean(LockFactories.class).create(name, settings))));
        }
    }
}
