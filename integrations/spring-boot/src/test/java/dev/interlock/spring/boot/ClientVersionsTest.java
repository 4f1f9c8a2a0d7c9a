// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.TestRedis;
import dev.interlock.testservers.RedisServer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Strategies are compiled with newer clients than Spring Boot brings; here they run on those that it brings. */
class ClientVersionsTest {
    private static final String REDLOCK =
            "interlock.strategy=redlock,interlock.option.cold-start=trust,interlock.option.node-timeout=30s,";

    private static String jar(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName()
                .toString();
    }

    @Test
    void theClientsAreThoseOfSpringBoot() {
        assertThat(jar(redis.clients.jedis.RedisClient.class)).isEqualTo("jedis-7.4.1.jar");
        assertThat(jar(io.lettuce.core.RedisClient.class)).isEqualTo("lettuce-core-7.5.2.RELEASE.jar");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "interlock.strategy=set-nx-px,interlock.option.client=jedis",
                "interlock.strategy=set-nx-px,interlock.option.client=lettuce",
                "interlock.strategy=set-nx-px,interlock.option.release=transaction,interlock.option.fencing=false",
                "interlock.strategy=setnx-getset",
                REDLOCK + "interlock.option.client=interlock",
                REDLOCK + "interlock.option.client=lettuce",
                "interlock.strategy=redisson"
            })
    void aWaiterGetsTheLockWhenItIsReleased(String settings) {
        if (settings.startsWith(REDLOCK)) {
            try (RedisServer first = RedisServer.start();
                    RedisServer second = RedisServer.start();
                    RedisServer third = RedisServer.start()) {
                pass(settings, first.uri() + "," + second.uri() + "," + third.uri());
            }
        } else {
            pass(settings, TestRedis.SERVER.uri());
        }
    }

    private static void pass(String settings, String endpoints) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
                .withPropertyValues(settings.split(","))
                .withPropertyValues("interlock.command-timeout=30s", "interlock.endpoints=" + endpoints)
                .run(context -> {
                    DistributedLock lock =
                            context.getBean(DistributedLockFactory.class).getLock(TestRedis.name("a"));
                    lock.lock();
                    CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> {
                        lock.lock();
                        lock.unlock();
                        return true;
                    });
                    assertThat(waiter).isNotDone();
                    lock.unlock();
                    assertThat(waiter.join()).isTrue();
                });
    }
}
