// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.LockConfig;

/**
 * Changes the configuration of a factory before it is made, for what properties cannot carry. Beans of this type are
 * called in their order, for each factory that the auto-configuration makes.
 */
@FunctionalInterface
public interface LockConfigCustomizer {
    /**
     * Changes a configuration.
     *
     * @param factory the name of the bean that is made
     * @param config the configuration so far
     */
    void customize(String factory, LockConfig.Builder config);
}
