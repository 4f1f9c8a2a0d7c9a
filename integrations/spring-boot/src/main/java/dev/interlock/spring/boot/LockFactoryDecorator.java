// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLockFactory;

/**
 * Puts something around each factory that the auto-configuration makes. Beans of this type are called in their order,
 * the first one innermost.
 */
@FunctionalInterface
public interface LockFactoryDecorator {
    /**
     * Returns what is used in place of a factory.
     *
     * @param name the name of the factory's bean
     * @param factory the factory, which the result must close when it is closed
     * @return a factory of the same locks, or the given one
     */
    DistributedLockFactory decorate(String name, DistributedLockFactory factory);
}
