// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.SetNxPxLocks;
import dev.interlock.spi.Capability;
import io.lettuce.core.RedisURI;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

class HandedInClientTest {
    /** The first connection in a JVM has many classes to load. */
    private static final LockConfig PATIENT =
            LockConfig.builder().commandTimeout(Fixture.PATIENCE).build();

    Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private RedisClient jedisClient() {
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", redis.server.port())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(Math.toIntExact(Fixture.PATIENCE.toMillis()))
                        .build())
                .build();
    }

    /** Both clients of one lock wait for each other and wake each other, so that a program can change its client. */
    private void excludesAndWakes(DistributedLockFactory one, DistributedLockFactory other) throws Exception {
        DistributedLock mine = one.getLock("shared");
        DistributedLock theirs = other.getLock("shared");
        mine.lock();
        assertThat(theirs.tryLock()).isFalse();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        redis.awaitWaiters("shared", 1);
        mine.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("shared"));
    }

    @Test
    void aJedisClientIsUsedAndNotClosed() throws Exception {
        try (RedisClient client = jedisClient()) {
            try (DistributedLockFactory factory =
                    SetNxPxLocks.builder().jedis(client).config(PATIENT).build()) {
                excludesAndWakes(redis.factory(), factory);
                excludesAndWakes(factory, redis.factory());
            }
            assertThat(client.ping()).isEqualTo("PONG");
            assertThat(client.getPool().getNumActive()).isZero();
        }
    }

    @Test
    void aLettuceClientIsUsedAndNotClosed() throws Exception {
        RedisURI uri = RedisURI.create("127.0.0.1", redis.server.port());
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create(uri);
        try {
            try (DistributedLockFactory factory =
                    SetNxPxLocks.builder().lettuce(client, uri).config(PATIENT).build()) {
                excludesAndWakes(redis.factory(), factory);
                excludesAndWakes(factory, redis.factory());
            }
            try (var connection = client.connect()) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown();
        }
    }

    @Test
    void jedisAndLettuceExcludeAndWakeEachOther() throws Exception {
        excludesAndWakes(redis.factory(), redis.factory(config -> config.option("client", "lettuce")));
        excludesAndWakes(redis.factory(config -> config.option("client", "lettuce")), redis.factory());
    }

    @Test
    void theConfigurationAppliesToAHandedInClient() {
        try (RedisClient client = jedisClient()) {
            LockConfig config = LockConfig.builder()
                    .commandTimeout(Fixture.PATIENCE)
                    .keyPrefix("app:locks")
                    .option("fencing", "false")
                    .build();
            try (DistributedLockFactory factory =
                    SetNxPxLocks.builder().jedis(client).config(config).build()) {
                assertThat(factory.profile().supports(Capability.FENCING)).isFalse();
                factory.getLock("x").lock();
                assertThat(client.get("app:locks:{x}")).isNotNull();
                factory.getLock("x").unlock();
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SetNxPxLocks.builder()
                            .jedis(client)
                            .config(LockConfig.builder().option("nonsense", "1").build())
                            .build())
                    .withMessageContaining("nonsense");
        }
    }
}
