// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import dev.interlock.spring.boot.internal.ServerConnection;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The properties of Spring Boot's Redis support, read as topologies. */
class RedisServersTest {
    private static final String SECRET = "p@ss:/?#[]&=+*% ü";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class));

    private static ServerConnection servers(ApplicationContext context) {
        return RedisServers.of(
                context.getBean(DataRedisConnectionDetails.class),
                context.getBean(DataRedisProperties.class).getUrl());
    }

    private RedisTopology topology(String... properties) {
        RedisTopology[] topology = new RedisTopology[1];
        application
                .withPropertyValues(properties)
                .run(context -> topology[0] = RedisTopology.of(servers(context).endpoints()));
        return topology[0];
    }

    @Test
    void oneServer() {
        assertThat(topology(
                        "spring.data.redis.host=cache",
                        "spring.data.redis.port=6390",
                        "spring.data.redis.database=3",
                        "spring.data.redis.username=us er",
                        "spring.data.redis.password=" + SECRET))
                .isInstanceOfSatisfying(RedisTopology.Standalone.class, standalone -> {
                    RedisEndpoint server = standalone.server();
                    assertThat(server.host()).isEqualTo("cache");
                    assertThat(server.port()).isEqualTo(6390);
                    assertThat(server.database()).isEqualTo(3);
                    assertThat(server.username()).contains("us er");
                    assertThat(server.password()).contains(SECRET);
                    assertThat(server.tls()).isFalse();
                });
    }

    @Test
    void oneServerByItsUrl() {
        assertThat(topology("spring.data.redis.url=rediss://user:secret@cache:6390/2"))
                .isInstanceOfSatisfying(RedisTopology.Standalone.class, standalone -> {
                    RedisEndpoint server = standalone.server();
                    assertThat(server.tls()).isTrue();
                    assertThat(server.database()).isEqualTo(2);
                    assertThat(server.password()).contains("secret");
                });
    }

    @Test
    void sentinels() {
        assertThat(topology(
                        "spring.data.redis.sentinel.master=main",
                        "spring.data.redis.sentinel.nodes=[::1]:26379,b:26380",
                        "spring.data.redis.sentinel.username=watcher",
                        "spring.data.redis.sentinel.password=" + SECRET,
                        "spring.data.redis.database=2",
                        "spring.data.redis.password=secret"))
                .isInstanceOfSatisfying(RedisTopology.Sentinel.class, sentinel -> {
                    assertThat(sentinel.masterName()).isEqualTo("main");
                    assertThat(sentinel.login().database()).isEqualTo(2);
                    assertThat(sentinel.login().password()).contains("secret");
                    assertThat(sentinel.sentinels())
                            .extracting(RedisEndpoint::port)
                            .containsExactly(26379, 26380);
                    assertThat(sentinel.sentinels().get(0).host()).isIn("::1", "[::1]");
                    assertThat(sentinel.sentinels().get(1).username()).contains("watcher");
                    assertThat(sentinel.sentinels().get(1).password()).contains(SECRET);
                });
    }

    @Test
    void aCluster() {
        assertThat(topology("spring.data.redis.cluster.nodes=a:7000,b:7001", "spring.data.redis.ssl.enabled=true"))
                .isInstanceOfSatisfying(RedisTopology.Cluster.class, cluster -> {
                    assertThat(cluster.seeds()).extracting(RedisEndpoint::host).containsExactly("a", "b");
                    assertThat(cluster.seeds()).allMatch(RedisEndpoint::tls);
                });
    }

    @Test
    void aPrimaryWithReplicas() {
        assertThat(topology("spring.data.redis.masterreplica.nodes=a:7000,b:7001", "spring.data.redis.database=1"))
                .isInstanceOfSatisfying(RedisTopology.Replicated.class, replicated -> {
                    assertThat(replicated.servers())
                            .extracting(RedisEndpoint::port)
                            .containsExactly(7000, 7001);
                    assertThat(replicated.servers()).allMatch(server -> server.database() == 1);
                });
    }

    @Test
    void certificatesComeFromTheBundleAndTheJvmsOwnNeedNone() {
        application
                .withPropertyValues("spring.data.redis.ssl.enabled=true")
                .run(context -> assertThat(servers(context).sslContext()).isNull());
        application
                .withPropertyValues("spring.data.redis.ssl.bundle=locks", "spring.ssl.bundle.jks.locks.protocol=TLS")
                .run(context -> assertThat(servers(context).sslContext()).isNotNull());
    }
}
