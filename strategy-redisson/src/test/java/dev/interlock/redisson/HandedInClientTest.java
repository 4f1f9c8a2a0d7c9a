// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.spi.Capability;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.ConstantDelay;
import org.redisson.config.NameMapper;

class HandedInClientTest {
    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void theClientIsUsedAndNotClosed() throws Exception {
        RedissonClient client = redis.plain();
        try (DistributedLockFactory factory = RedissonLocks.builder()
                .redisson(client)
                .config(LockConfig.builder().commandTimeout(Fixture.TIMEOUT).build())
                .build()) {
            DistributedLock mine = factory.getLock(Fixture.NAME);
            DistributedLock theirs = redis.lock(Fixture.lease(Fixture.LONG));
            mine.lock();
            FutureTask<Object> waiter = Fixture.start(() -> {
                theirs.lock();
                theirs.unlock();
                return true;
            });
            redis.awaitWaiter();
            mine.unlock();
            assertThat(Fixture.result(waiter)).isEqualTo(true);
        }
        assertThat(client.isShutdown()).isFalse();
        assertThat(client.getBucket("x").isExists()).isFalse();
    }

    @Test
    void aClientThatIsNotConnectedYetIsConnectedThoughTheThreadIsInterrupted() throws Exception {
        DistributedLock lock = redis.over(redis.plain(config -> config.setLazyInitialization(true)))
                .getLock(Fixture.NAME);
        assertThat(Fixture.result(Fixture.start(() -> {
                    Thread self = Thread.currentThread();
                    Fixture.start(() -> {
                        for (int i = 0; i < 100; i++) {
                            self.interrupt();
                            Thread.yield();
                        }
                        return true;
                    });
                    lock.lock();
                    return lock.isHeldByCurrentThread();
                })))
                .isTrue();
    }

    @Test
    void twoFactoriesOverOneClientExcludeEachOtherOnOneThread() {
        RedissonClient client = redis.plain();
        for (String holds : new String[] {"local", "redis"}) {
            DistributedLock one = redis.over(client, "holds", holds).getLock(Fixture.NAME);
            DistributedLock other = redis.over(client, "holds", holds).getLock(Fixture.NAME);
            one.lock();
            assertThat(other.tryLock()).isFalse();
            one.unlock();
        }
    }

    @Test
    void aRequestWithoutAnAnswerIsNotRepeatedByAClientThatRepeatsRequests() {
        RedissonClient client = redis.plain(config -> config.useSingleServer()
                .setTimeout(1_000)
                .setRetryAttempts(10)
                .setRetryDelay(new ConstantDelay(Duration.ofMillis(10))));
        DistributedLock lock = RedissonLocks.builder()
                .redisson(client)
                .config(LockConfig.builder()
                        .commandTimeout(Duration.ofSeconds(5))
                        .build())
                .build()
                .getLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
        lock.lock();
        lock.unlock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            redis.server.pause();
            try {
                assertThatThrownBy(lock::tryLock)
                        .isInstanceOfSatisfying(
                                LockBackendException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN));
            } finally {
                redis.server.resume();
            }
            await().during(Duration.ofSeconds(3)).atMost(Fixture.PATIENCE).until(() -> {
                monitor.sync();
                long acquisitions = monitor.commands().stream()
                        .filter(command -> command.contains(Fixture.TOKEN))
                        .count();
                return acquisitions == 1 && !redis.isTaken();
            });
        }
    }

    @Test
    void aClientThatIsShutDownIsReportedAsSuch() {
        RedissonClient client = redis.plain();
        DistributedLock lock = redis.over(client).getLock(Fixture.NAME);
        client.shutdown(0, 1, TimeUnit.SECONDS);
        assertThatThrownBy(lock::tryLock).isInstanceOfSatisfying(LockBackendException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(e).hasMessageContaining("is shut down");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("deprecation")
    void namesAreMappedAsForPlainLocks(boolean inItsNewPlace) throws Exception {
        RedissonClient client = redis.plain(config -> {
            if (inItsNewPlace) {
                config.setNameMapper(new Prefixing());
            } else {
                config.useSingleServer().setNameMapper(new Prefixing());
            }
        });
        DistributedLockFactory factory = redis.over(client);
        DistributedLock ours = factory.getLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
        RLock plain = client.getLock(Fixture.NAME);
        ours.lock();
        assertThat(redis.server.command("EXISTS", "app:" + Fixture.NAME)).isEqualTo(1L);
        assertThat(plain.isLocked()).isTrue();
        FutureTask<Boolean> waiter = Fixture.start(() -> {
            plain.lock();
            return true;
        });
        String channel = "redisson_lock__channel:{app:invoice:42}";
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server
                        .command("PUBSUB", "NUMSUB", channel)
                        .toString()
                        .equals("[" + channel + ", 1]"));
        ours.unlock();
        assertThat(Fixture.result(waiter)).isTrue();

        assertThat(factory.profile().supports(Capability.PUSH_WAKEUP))
                .as("Redisson maps the channel's name once more when it is listened to")
                .isFalse();
        FutureTask<Boolean> polling = Fixture.start(() -> {
            ours.lock();
            return true;
        });
        client.getLock(Fixture.NAME).forceUnlock();
        assertThat(Fixture.result(polling)).isTrue();
    }

    private static final class Prefixing implements NameMapper {
        @Override
        public String map(String name) {
            return "app:" + name;
        }

        @Override
        public String unmap(String name) {
            return name.substring("app:".length());
        }
    }

    @Test
    void theConfigurationAppliesToAHandedInClient() {
        RedissonClient client = redis.plain();
        try (DistributedLockFactory factory = RedissonLocks.builder()
                .redisson(client)
                .config(LockConfig.builder()
                        .commandTimeout(Fixture.TIMEOUT)
                        .keyPrefix("app")
                        .option("fencing", "false")
                        .build())
                .build()) {
            assertThat(factory.profile().supports(Capability.FENCING)).isFalse();
            factory.getLock("x").lock();
            assertThat(client.getLock("app:{x}").isLocked()).isTrue();
        }
    }

    @Test
    void aBuilderSaysWhatIsMissingOrWrong() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedissonLocks.builder().build())
                .withMessageContaining("redisson(…)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> redis.over(redis.plain(), "nonsense", "1"))
                .withMessageContaining("nonsense");
    }
}
