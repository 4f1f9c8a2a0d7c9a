// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.LockConfig;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisTopologyTest {
    private static RedisTopology read(String endpoints) {
        return RedisTopology.of(LockConfig.of(endpoints));
    }

    @Test
    void oneServerIsAStandaloneOne() {
        assertThat(read("rediss://al:pw@host:7000/3"))
                .isEqualTo(new RedisTopology.Standalone(RedisEndpoint.parse("rediss://al:pw@host:7000/3")));
    }

    @Test
    void severalServersAreAPrimaryAndItsReplicas() {
        assertThat(read("redis://:pw@a,redis://:pw@b:7000,redis://:pw@a"))
                .isEqualTo(new RedisTopology.Replicated(
                        List.of(RedisEndpoint.parse("redis://:pw@a"), RedisEndpoint.parse("redis://:pw@b:7000"))));
    }

    @Test
    void userAndPasswordOfASentinelEndpointAreThoseOfTheDataServers() {
        RedisTopology.Sentinel sentinel =
                (RedisTopology.Sentinel) read("redis-sentinel://al:p%40,w@s1,s2:7000/4#my.main-1");

        assertThat(sentinel.sentinels())
                .containsExactly(RedisEndpoint.parse("redis://s1:26379"), RedisEndpoint.parse("redis://s2:7000"));
        assertThat(sentinel.masterName()).isEqualTo("my.main-1");
        assertThat(sentinel.login().at("primary", 6390))
                .isEqualTo(RedisEndpoint.parse("redis://al:p%40,w@primary:6390/4"));
    }

    @Test
    void sentinelsMayAskForALoginOfTheirOwn() {
        RedisTopology.Sentinel sentinel = (RedisTopology.Sentinel)
                read("rediss-sentinel://s1?sentinelUsername=a:b&sentinelPassword=p/w%26@+#main");

        assertThat(sentinel.sentinels()).containsExactly(RedisEndpoint.parse("rediss://a%3Ab:p%2Fw%26%40+@s1:26379"));
        assertThat(sentinel.login().at("::1", 1)).isEqualTo(RedisEndpoint.parse("rediss://[::1]:1"));
        assertThat(((RedisTopology.Sentinel) read("redis-sentinel://s1?sentinelPassword=pw#main")).sentinels())
                .containsExactly(RedisEndpoint.parse("redis://:pw@s1:26379"));
    }

    @Test
    void aClusterHasSeeds() {
        assertThat(read("rediss-cluster://:p,w@a,b:7000,c/"))
                .isEqualTo(new RedisTopology.Cluster(List.of(
                        RedisEndpoint.parse("rediss://:p,w@a"),
                        RedisEndpoint.parse("rediss://:p,w@b:7000"),
                        RedisEndpoint.parse("rediss://:p,w@c"))));
    }

    @Test
    void endpointsThatDifferInTheHostAloneAreOne() {
        assertThat(read("redis-cluster://[::1]:7000,redis-cluster://[::2]"))
                .isEqualTo(new RedisTopology.Cluster(
                        List.of(RedisEndpoint.parse("redis://[::1]:7000"), RedisEndpoint.parse("redis://[::2]:6379"))));
        assertThat(((RedisTopology.Sentinel) read("redis-sentinel://a/1#m,REDIS-sentinel://b,c/1#m")).sentinels())
                .extracting(RedisEndpoint::host)
                .containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis-sentinel://a,b 'the name under which the sentinels know the primary'",
                "redis-sentinel://a,b/0# 'the name under which the sentinels know the primary'",
                "redis-sentinel://a#my%20main 'the name under which the sentinels know the primary'",
                "redis-sentinel://a/main#main 'a database number'",
                "redis-sentinel://a?timeout=1s#main 'sentinelPassword=…'",
                "redis-sentinel://a?sentinelPassword=#main 'sentinelPassword=…'",
                "redis-sentinel://a?sentinelUsername=x#main 'no sentinelPassword'",
                "redis-sentinel://a,b_c#main 'one of its hosts is none'",
                "redis-sentinel://a,,b#main 'one of its hosts is none'",
                "redis-sentinel://a:0#main 'its port is not between'",
                "redis-sentinel:///0#main 'names no host'",
                "redis-sentinel://alice@a,b#main 'a user but no password'",
                "redis-cluster://a,b/1 'only database 0'",
                "redis-cluster://a,b?x=1 'query or fragment'",
                "redis-cluster://a,b#main 'query or fragment'",
                "redis-cluster://:p@w@a,b 'write %40'",
                "redis://a,redis-cluster://b 'different schemes, redis, redis-cluster'",
                "redis-sentinel://a#m,redis-sentinel://b#n 'differ in more than the host'",
                "redis-cluster://:x@a,redis-cluster://:y@b 'differ in more than the host'",
                "redis://a/1,redis://b/2 'different databases'",
                "http://a 'does not begin with redis://'",
            })
    void whatCannotBeUsedIsExplained(String endpoints, String words) {
        assertThatIllegalArgumentException().isThrownBy(() -> read(endpoints)).withMessageContaining(words);
    }

    @Test
    void noEndpointIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisTopology.of(List.<URI>of()))
                .withMessageContaining("names no endpoint")
                .withMessageContaining("redis-sentinel://");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://:12345@a,b",
                "redis-sentinel://al:12345@a,b_c#m",
                "redis-sentinel://al:12345@a,b/x#m",
                "redis-sentinel://al:12345@a:0,b#m",
                "redis-sentinel://al:12345@x@a,b#m",
                "redis-sentinel://12345@a,b#m",
                "redis-sentinel://al:12345/6@a,b#m",
                "redis-sentinel://al:99999/12345@a,b#m",
                "redis-sentinel://al:12345?6@a,b#m",
                "redis-sentinel://al:1#12345@a,b",
                "redis-sentinel://a?sentinelPassword=12345&x#m",
                "redis-sentinel://a?12345#m",
                "redis-sentinel://a?sentinelUsername=12345#m",
                "redis-cluster://al:12345@a,b/1",
                "redis-cluster://al:12345@a,redis-cluster://al:12346@b",
            })
    void noErrorTellsThePassword(String endpoints) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(endpoints))
                .withMessageNotContaining("12345")
                .withMessageNotContaining("99999");
    }

    @Test
    void theTextHoldsNoPassword() {
        assertThat(read("redis-sentinel://al:12345@a?sentinelPassword=12345#m").toString())
                .contains("sentinels=[redis://***@a:26379]", "masterName=m")
                .doesNotContain("12345");
    }
}
