// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.LockConfig;
import dev.interlock.redisson.keys.RedissonKeys;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.config.Config;

class OptionsTest {
    private static final LockConfig ONE = LockConfig.of("redis://127.0.0.1:1");

    private static Config client(LockConfig config) {
        return Settings.of(config).clientConfig(config);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-sentinel://:hunter2@h1,h2/0#master"})
    void anEndpointThatIsNotOfRedisIsNamedWithoutItsPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedissonStrategyProvider().newFactory(LockConfig.of(uris)))
                .withMessageContaining("endpoint \"redis-sentinel://***@h1,h2/0#master\" does not begin with redis://")
                .withMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "topology, ring, 'must be single or sentinel or cluster or master-replica'",
        "holds, both, must be local or redis",
        "fencing, maybe, must be true or false",
        "token-life, soon, token-life",
        "token-life, 1s, token-life"
    })
    void aValueThatIsNoneOfTheKnownOnesIsAnError(String option, String value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> Settings.of(ONE.toBuilder().option(option, value).build()))
                .withMessageContaining(option)
                .withMessageContaining(message);
    }

    @Test
    void eachTopologyIsRedissonsOwn() {
        LockConfig three = LockConfig.of("redis://u:p@a,redis://u:p@b,redis://u:p@c");
        assertThat(client(ONE).isSingleConfig()).isTrue();
        assertThat(client(three.toBuilder().option("topology", "cluster").build())
                        .isClusterConfig())
                .isTrue();
        Config sentinel = client(three.toBuilder()
                .option("topology", "sentinel")
                .option("master-name", "main")
                .build());
        assertThat(sentinel.isSentinelConfig()).isTrue();
        assertThat(sentinel.useSentinelServers().getMasterName()).isEqualTo("main");
        assertThat(sentinel.useSentinelServers().getSentinelAddresses()).hasSize(3);
        assertThat(sentinel.getPassword()).isEqualTo("p");
        assertThat(client(three.toBuilder().option("topology", "master-replica").build())
                        .useReplicatedServers()
                        .getNodeAddresses())
                .hasSize(3);
    }

    @Test
    void addressesKeepTheirSchemeAndBrackets() {
        assertThat(client(LockConfig.of("rediss://[::1]:7/2")).useSingleServer())
                .satisfies(server -> assertThat(server.getAddress()).isEqualTo("rediss://[::1]:7"))
                .satisfies(server -> assertThat(server.getDatabase()).isEqualTo(2));
    }

    @Test
    void severalEndpointsNeedATopology() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client(LockConfig.of("redis://a,redis://b")))
                .withMessageContaining("topology=single cannot use 2 endpoints");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client(
                        LockConfig.builder().option("topology", "cluster").build()))
                .withMessageContaining("0 endpoints: give at least one");
    }

    @Test
    void endpointsOfOneClientAreAlike() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client(LockConfig.of("redis://:one@a,redis://:two@b").toBuilder()
                        .option("topology", "cluster")
                        .build()))
                .withMessageContaining("differ in user, password, database or TLS")
                .withMessageNotContaining("one@");
    }

    @ParameterizedTest
    @CsvSource({
        "interlock, a, a, redisson_lock_token:{a}, redisson_lock__channel:{a}",
        "interlock, x{a}y, x{a}y, redisson_lock_token:x{a}y, redisson_lock__channel:x{a}y",
        "app, a, app:{a}, redisson_lock_token:app:{a}, redisson_lock__channel:app:{a}"
    })
    void keysAndChannelsAreThoseOfRedisson(String prefix, String name, String lock, String token, String channel) {
        RedissonKeys keys = new RedissonKeys(prefix, UnaryOperator.identity());
        assertThat(keys.plainName(name)).isEqualTo(lock);
        assertThat(keys.lock(name)).isEqualTo(lock);
        assertThat(keys.token(name)).isEqualTo(token);
        assertThat(keys.channel(name)).isEqualTo(channel);
        assertThat(keys.canListen()).isTrue();
    }
}
