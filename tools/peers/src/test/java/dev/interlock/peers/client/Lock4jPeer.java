// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A lock of lock4j's template, over its executor for Spring's {@code RedisTemplate}. */
final class Lock4jPeer implements Peer {
    static final String PREFIX = "lock4j:";

    private final LettuceConnectionFactory connections;
    private final LockTemplate template = new LockTemplate();
    private final String key;
    private @Nullable LockInfo held;

    Lock4jPeer(int port, String name) {
        connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.start();
        Lock4jProperties properties = new Lock4jProperties();
        key = properties.getLockKeyPrefix() + ":" + name;
        template.setProperties(properties);
        template.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties)));
        try {
            template.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException("the template of lock4j cannot be set up", e);
        }
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        held = template.lock(key, lease.toMillis(), wait.toMillis());
        return held != null;
    }

    @Override
    public void lock(Duration lease) {
        acquire(lease, Duration.ofDays(1));
    }

    @Override
    public boolean release() {
        return template.releaseLock(held);
    }

    @Override
    public boolean extend(Duration lease) {
        throw new UnsupportedOperationException("lock4j has no call for it");
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
