// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.SetNxPxLocks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

/** Clients of the application that know several servers. */
@Tag("deep")
class HandedInTopologyTest {
    private static final LockConfig PATIENT =
            LockConfig.builder().commandTimeout(Fixture.PATIENCE).build();

    private static SentinelServers servers;

    @BeforeAll
    static void start() {
        servers = SentinelServers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    /** A lock outlives a switch-over, and is taken again afterwards. */
    private static void followsThePrimary(SetNxPxLocks builder) {
        try (DistributedLockFactory factory = builder.config(PATIENT).build()) {
            DistributedLock lock = factory.getLock("followed", Fixture.lease(Duration.ofMinutes(1)));
            lock.lock();
            RedisServer promoted = servers.switchOver();
            assertThat(lock.lease().orElseThrow().isValid()).isTrue();
            assertThat(promoted.command("EXISTS", Fixture.key("followed"))).isEqualTo(1L);
            lock.unlock();
            await().atMost(Fixture.PATIENCE)
                    .until(() ->
                            promoted.command("EXISTS", Fixture.key("followed")).equals(0L));
            lock.lock();
            assertThat(promoted.command("EXISTS", Fixture.key("followed"))).isEqualTo(1L);
            lock.unlock();
        }
    }

    @Test
    void aJedisClientOfSentinelsIsFollowedAndNotClosed() {
        Set<HostAndPort> sentinels = servers.sentinels().stream()
                .map(sentinel -> new HostAndPort("127.0.0.1", sentinel.port()))
                .collect(Collectors.toSet());
        try (RedisSentinelClient client = RedisSentinelClient.builder()
                .masterName(servers.masterName())
                .sentinels(sentinels)
                .build()) {
            followsThePrimary(SetNxPxLocks.builder().jedis(client));
            assertThat(client.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aLettuceUriOfSentinelsIsFollowed() {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(servers.masterName());
        servers.sentinels().forEach(sentinel -> uri.withSentinel("127.0.0.1", sentinel.port()));
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create();
        try {
            followsThePrimary(SetNxPxLocks.builder().lettuce(client, uri.build()));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void thePrimaryAmongServersGivenToLettuceIsFollowed() {
        List<RedisURI> uris = servers.servers().stream()
                .map(server -> RedisURI.create("127.0.0.1", server.port()))
                .toList();
        io.lettuce.core.RedisClient client = io.lettuce.core.RedisClient.create();
        try {
            followsThePrimary(SetNxPxLocks.builder().lettuce(client, uris));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void aClientOfAnotherTypeIsRefusedByItsName() {
        class OtherClient extends UnifiedJedis {
            OtherClient() {
                super((ConnectionProvider) null, RedisProtocol.RESP2);
            }
        }
        try (UnifiedJedis client = new OtherClient()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SetNxPxLocks.builder().jedis(client).build())
                    .withMessageContaining("OtherClient")
                    .withMessageContaining("RedisSentinelClient");
        }
    }
}
