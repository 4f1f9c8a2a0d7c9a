// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.TestRedis;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import dev.interlock.testservers.ServerKey;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Spring Boot's own properties lead to locks on whatever they name: real sentinels, a real cluster, a server behind
 * TLS.
 */
@Tag("deep")
class TopologiesTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class, DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("interlock.strategy=set-nx-px", "interlock.command-timeout=30s");

    private static void assertLocksOn(
            List<RedisServer> servers, ApplicationContextRunner application, String... properties) {
        application.withPropertyValues(properties).run(context -> {
            DistributedLock lock = context.getBean(DistributedLockFactory.class).getLock(TestRedis.name("a"));
            lock.lock();
            assertThat(servers).anyMatch(server -> hasLock(server, lock.name()));
            lock.unlock();
            assertThat(servers).noneMatch(server -> hasLock(server, lock.name()));
        });
    }

    /** A node of a cluster tells of its own keys alone. */
    private static boolean hasLock(RedisServer server, String name) {
        return ((List<?>) server.command("KEYS", "interlock:*")).contains("interlock:{" + name + "}");
    }

    private static String addresses(List<RedisServer> servers) {
        return servers.stream().map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
    }

    @Test
    void sentinelsLeadToThePrimary() {
        try (SentinelServers servers = SentinelServers.start()) {
            assertLocksOn(
                    List.of(servers.primary()),
                    application,
                    "spring.data.redis.sentinel.master=" + servers.masterName(),
                    "spring.data.redis.sentinel.nodes=" + addresses(servers.sentinels()));
        }
    }

    @Test
    void aClusterKeepsLocksOnItsNodes() {
        try (ClusterServers servers = ClusterServers.start()) {
            assertLocksOn(
                    servers.primaries(), application, "spring.data.redis.cluster.nodes=" + addresses(servers.nodes()));
        }
    }

    @Test
    void aServerBehindTlsIsTrustedAsTheBundleSays(@TempDir Path directory) throws Exception {
        ServerKey key = ServerKey.make(directory, "server", "EC");
        try (FaultProxy proxy = FaultProxy.tls(TestRedis.SERVER, key.serverContext())) {
            String[] bundle = {
                "spring.ssl.bundle.jks.locks.truststore.location=file:" + key.file(),
                "spring.ssl.bundle.jks.locks.truststore.password=" + ServerKey.PASSWORD,
                "spring.ssl.bundle.jks.locks.truststore.type=PKCS12"
            };
            assertLocksOn(
                    List.of(TestRedis.SERVER),
                    application.withPropertyValues(bundle),
                    "spring.data.redis.host=localhost",
                    "spring.data.redis.port=" + proxy.port(),
                    "spring.data.redis.ssl.bundle=locks");
            assertLocksOn(
                    List.of(TestRedis.SERVER),
                    application.withPropertyValues(bundle),
                    "interlock.endpoints=rediss://localhost:" + proxy.port(),
                    "interlock.ssl.bundle=locks");
        }
    }
}
