// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import org.springframework.util.ClassUtils;

/** The types of clients that an application may have, none of which need be on the class path. */
enum ClientKind {
    JEDIS("redis.clients.jedis.UnifiedJedis"),
    LETTUCE("io.lettuce.core.RedisClient"),
    LETTUCE_CLUSTER("io.lettuce.core.cluster.RedisClusterClient"),
    REDISSON("org.redisson.api.RedissonClient");

    private final String type;

    ClientKind(String type) {
        this.type = type;
    }

    boolean isKindOf(Object client) {
        ClassLoader loader = client.getClass().getClassLoader();
        return ClassUtils.isPresent(type, loader)
                && ClassUtils.resolveClassName(type, loader).isInstance(client);
    }
}
