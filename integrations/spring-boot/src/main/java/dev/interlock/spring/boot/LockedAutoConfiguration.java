// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.LockedAdvisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Auto-configuration of {@link dev.interlock.spring.Locked @Locked}. */
@AutoConfiguration(after = NamedLockFactoriesAutoConfiguration.class)
@ConditionalOnBean(DistributedLockFactory.class)
@ConditionalOnBooleanProperty(name = "interlock.locked.enabled", matchIfMissing = true)
@Import(LockedAutoConfiguration.ProxyCreatorRegistrar.class)
public final class LockedAutoConfiguration {
    LockedAutoConfiguration() {}

    /** Reads the environment, since properties as a bean would be made before they can be processed. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static LockedAdvisor interlockLockedAdvisor(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        InterlockProperties.Methods settings =
                Binder.get(environment).bindOrCreate("interlock.locked", InterlockProperties.Methods.class);
        return new LockedAdvisor(beanFactory, settings.getWaitTime(), settings.getOrder());
    }

    /** Registers an auto-proxy creator, unless there is one already. */
    static final class ProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(
                AnnotationMetadata importingClassMetadata, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
