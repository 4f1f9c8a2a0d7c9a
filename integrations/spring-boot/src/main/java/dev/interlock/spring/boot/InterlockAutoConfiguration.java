// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockListener;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of a {@link DistributedLockFactory} named {@value #DEFAULT_FACTORY}, unless the application has a
 * factory of its own.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "org.redisson.spring.starter.RedissonAutoConfigurationV4"
        })
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties({InterlockProperties.class, LockFactoryProperties.class})
public final class InterlockAutoConfiguration {
    /** The name of the bean that has the settings of {@code interlock.*}. */
    public static final String DEFAULT_FACTORY = "distributedLockFactory";

    InterlockAutoConfiguration() {}

    @Bean
    LockFactories interlockLockFactories(
            LockFactoryProperties properties,
            ServerConnections connections,
            ObjectProvider<LockConfigCustomizer> customizers,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockFactoryDecorator> decorators) {
        return new LockFactories(properties, connections, customizers, listeners, decorators);
    }

    @Bean(DEFAULT_FACTORY)
    @ConditionalOnMissingBean
    DistributedLockFactory distributedLockFactory(LockFactories factories) {
        return factories.create(DEFAULT_FACTORY);
    }

    @Bean
    LockFactoryLifecycle interlockLockFactoryLifecycle(LockFactories factories, ApplicationContext context) {
        return new LockFactoryLifecycle(factories, context);
    }

    /** The configuration if Spring Boot's Redis support is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataRedisConnectionDetails.class)
    static final class WithDataRedis {
        @Bean
        ServerConnections interlockServerConnections(
                ConfigurableListableBeanFactory beans,
                ObjectProvider<SslBundles> sslBundles,
                ObjectProvider<DataRedisConnectionDetails> details,
                ObjectProvider<DataRedisProperties> properties) {
            return new ServerConnections(
                    beans,
                    sslBundles,
                    () -> Optional.ofNullable(details.getIfUnique())
                            .map(found -> RedisServers.of(
                                    found,
                                    Optional.ofNullable(properties.getIfAvailable())
                                            .map(DataRedisProperties::getUrl)
                                            .orElse(null))));
        }
    }

    /** The configuration if Spring Boot's Redis support is not on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails")
    static final class WithoutDataRedis {
        @Bean
        ServerConnections interlockServerConnections(
                ConfigurableListableBeanFactory beans, ObjectProvider<SslBundles> sslBundles) {
            return new ServerConnections(beans, sslBundles, Optional::empty);
        }
    }
}
