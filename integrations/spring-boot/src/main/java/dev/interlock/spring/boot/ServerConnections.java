// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spring.boot.internal.ServerConnection;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.ClassUtils;

/**
 * Finds out how a factory reaches its servers: by a client that is named, by its endpoints, or as the rest of the
 * application does.
 */
final class ServerConnections {
    private static final String REDISSON = "org.redisson.api.RedissonClient";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<SslBundles> sslBundles;
    private final Supplier<Optional<ServerConnection>> ofTheApplication;

    /**
     * Creates the connections of an application.
     *
     * @param ofTheApplication returns what Spring Boot's Redis support would connect to, if it is there
     */
    ServerConnections(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<SslBundles> sslBundles,
            Supplier<Optional<ServerConnection>> ofTheApplication) {
        this.beans = beans;
        this.sslBundles = sslBundles;
        this.ofTheApplication = ofTheApplication;
    }

    /**
     * Finds the connection of a factory.
     *
     * @throws LockFactoryCreationException if there is none; says what to set
     * @throws IllegalArgumentException if an endpoint cannot be used
     */
    ServerConnection find(String factory, LockFactoryProperties settings, LockStrategyProvider strategy) {
        List<URI> endpoints = settings.getEndpoints().isEmpty()
                ? List.of()
                // Spring has split the property at each comma, also inside of an endpoint, so the parts are joined and
                // split anew.
                : LockConfig.builder()
                        .endpoints(String.join(",", settings.getEndpoints()))
                        .build()
                        .endpoints();
        Object client = client(factory, settings, strategy, endpoints);
        if (!endpoints.isEmpty()) {
            return new ServerConnection(endpoints, context(factory, settings), client);
        }
        boolean single = strategy.profile().servers().relation() == ServerNeeds.Relation.SINGLE;
        Optional<ServerConnection> found = single ? ofTheApplication.get() : Optional.empty();
        if (client != null) {
            return new ServerConnection(found.map(ServerConnection::endpoints).orElse(List.of()), null, client);
        }
        return found.filter(connection -> !connection.endpoints().isEmpty())
                .orElseThrow(() -> new LockFactoryCreationException(
                        factory,
                        "no server is named",
                        single
                                ? "Set interlock.endpoints, such as redis://localhost:6379, or add"
                                        + " org.springframework.boot:spring-boot-starter-data-redis and set"
                                        + " spring.data.redis.*."
                                : "Set interlock.endpoints to the servers of " + strategy.name() + ", "
                                        + strategy.profile().servers().summary() + ".",
                        null));
    }

    private @Nullable SSLContext context(String factory, LockFactoryProperties settings) {
        String bundle = settings.getSsl().getBundle();
        if (bundle == null) {
            return null;
        }
        try {
            return sslBundles.getObject().getBundle(bundle).createSslContext();
        } catch (NoSuchSslBundleException | NoSuchBeanDefinitionException e) {
            throw new LockFactoryCreationException(
                    factory,
                    "there is no SSL bundle \"" + bundle + "\"",
                    "Declare it by spring.ssl.bundle.*, or correct interlock.ssl.bundle.",
                    e);
        }
    }

    private @Nullable Object client(
            String factory, LockFactoryProperties settings, LockStrategyProvider strategy, List<URI> endpoints) {
        String name = settings.getClientBean();
        if (name == null) {
            return strategy.name().equals("redisson") && endpoints.isEmpty() ? redissonClient(factory) : null;
        }
        try {
            Object client = beans.getBean(name);
            beans.registerDependentBean(name, factory);
            return client;
        } catch (NoSuchBeanDefinitionException e) {
            throw new LockFactoryCreationException(
                    factory, "there is no bean \"" + name + "\"", "Declare it, or correct interlock.client-bean.", e);
        }
    }

    /** Returns the Redisson client of the application, if it has exactly one. */
    private @Nullable Object redissonClient(String factory) {
        ClassLoader loader = beans.getBeanClassLoader();
        if (!ClassUtils.isPresent(REDISSON, loader)) {
            return null;
        }
        String[] names = beans.getBeanNamesForType(ClassUtils.resolveClassName(REDISSON, loader));
        if (names.length != 1) {
            return null;
        }
        beans.registerDependentBean(names[0], factory);
        return beans.getBean(names[0]);
    }
}
