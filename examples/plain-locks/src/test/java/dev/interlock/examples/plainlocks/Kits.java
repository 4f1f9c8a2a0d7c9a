// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.plainlocks;

import dev.interlock.conformance.PlainLockConformance;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.conformance.plain.PlainLocks.Client;
import dev.interlock.testservers.RedisServer;
import java.util.concurrent.locks.ReentrantLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * The kit for plain locks on three locks in their default configuration. {@link PlainLocksTest} runs them, and knows
 * which rules each breaks.
 */
final class Kits {
    private static final RedisServer SERVER = RedisServer.start();

    private Kits() {}

    /** The lock of the JDK. */
    static final class ReentrantLockKit extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(ReentrantLock::new)
                    .wakingWaiters()
                    .holdCount(ReentrantLock.class, ReentrantLock::getHoldCount);
        }

        @Override
        protected String subject() {
            return "ReentrantLock";
        }
    }

    /** Redisson's lock, each client with connections of its own. */
    static final class RedissonKit extends PlainLockConformance {
        private static final Clients CLIENTS = new Clients(() -> {
            Config config = new Config();
            config.useSingleServer()
                    .setAddress(SERVER.uri())
                    .setConnectionMinimumIdleSize(2)
                    .setConnectionPoolSize(32);
            RedissonClient client = Redisson.create(config);
            return client::getLock;
        });

        @Override
        protected PlainLocks locks() {
            return CLIENTS.forOneRule().wakingWaiters().withoutConditions().holdCount(RLock.class, RLock::getHoldCount);
        }

        @Override
        protected String subject() {
            return "Redisson RLock";
        }
    }

    /** Spring Integration's registry, each an owner of its own. */
    static final class SpringKit extends PlainLockConformance {
        private static final LettuceConnectionFactory CONNECTIONS = connections();

        private static LettuceConnectionFactory connections() {
            LettuceConnectionFactory connections =
                    new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", SERVER.port()));
            connections.afterPropertiesSet();
            connections.start();
            return connections;
        }

        private static Client registry() {
            return new RedisLockRegistry(CONNECTIONS, "kit")::obtain;
        }

        @Override
        protected PlainLocks locks() {
            // Fresh for each rule: a registry has a thousand local locks for all names, of which some would stay taken.
            return PlainLocks.clients(SpringKit::registry).withoutConditions();
        }

        @Override
        protected String subject() {
            return "Spring RedisLockRegistry";
        }
    }
}
