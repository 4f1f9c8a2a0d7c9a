// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.keys.RedissonSlots;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.config.Config;

class OptionsTest {
    private static final LockConfig ONE = LockConfig.of("redis://127.0.0.1:1");

    private static Config client(String endpoints) {
        return new ClientConfig(LockConfig.of(endpoints)).build();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://:hunter2@h1",
                "redis-sentinel://:hunter2@h1,h2/0",
                "redis://a,redis-cluster://:hunter2@h1"
            })
    void endpointsThatNameNoServersOfRedisAreAnErrorThatShowsNoPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedissonStrategyProvider().newFactory(LockConfig.of(uris)))
                .withMessageContaining("redis")
                .withMessageNotContaining("hunter2");
    }

    @Test
    void conditionsAreRefusedWithAWordOnWhoHasThemAndWhereTheReasonsStand() {
        try (DistributedLockFactory locks = new RedissonStrategyProvider().newFactory(ONE)) {
            DistributedLock lock = locks.getLock("a");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(lock::newCondition)
                    .withMessageContainingAll("\"redisson\"", "such as set-nx-px", "docs/conditions.md");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> lock.condition("notEmpty"))
                    .withMessageContainingAll("\"redisson\"", "such as set-nx-px", "docs/conditions.md");
            assertThat(locks.getReadWriteLock("a").readLock().name()).isEqualTo("a");
            assertThat(locks.getLock(List.of("b", "a")).names()).containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @CsvSource({
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

    /** With the default of five seconds, a short lease ended in a clean switch-over. */
    @Test
    void aClusterIsAskedForItsPrimariesAsOftenAsSentinelsAre() {
        assertThat(client("redis-cluster://a").useClusterServers().getScanInterval())
                .isEqualTo(
                        client("redis-sentinel://a/0#main").useSentinelServers().getScanInterval());
    }

    @Test
    void eachTopologyIsRedissonsOwn() {
        assertThat(client("redis://a").isSingleConfig()).isTrue();
        assertThat(client("redis-cluster://u:p@a,b,c")).satisfies(cluster -> {
            assertThat(cluster.useClusterServers().getNodeAddresses())
                    .containsExactly("redis://a:6379", "redis://b:6379", "redis://c:6379");
            assertThat(cluster.getUsername()).isEqualTo("u");
            assertThat(cluster.getPassword()).isEqualTo("p");
        });
        assertThat(client("redis-sentinel://u:p@a,b:7/2?sentinelUsername=watcher&sentinelPassword=w#main"))
                .satisfies(sentinel -> {
                    assertThat(sentinel.useSentinelServers().getMasterName()).isEqualTo("main");
                    assertThat(sentinel.useSentinelServers().getSentinelAddresses())
                            .containsExactly("redis://a:26379", "redis://b:7");
                    assertThat(sentinel.useSentinelServers().getDatabase()).isEqualTo(2);
                    assertThat(sentinel.useSentinelServers().getSentinelUsername())
                            .isEqualTo("watcher");
                    assertThat(sentinel.useSentinelServers().getSentinelPassword())
                            .isEqualTo("w");
                    assertThat(sentinel.getUsername()).isEqualTo("u");
                    assertThat(sentinel.getPassword()).isEqualTo("p");
                });
        assertThat(client("redis://:p@a,redis://:p@b").useReplicatedServers().getNodeAddresses())
                .containsExactly("redis://a:6379", "redis://b:6379");
    }

    @Test
    void addressesKeepTheirSchemeAndBrackets() {
        assertThat(client("rediss://[::1]:7/2").useSingleServer())
                .satisfies(server -> assertThat(server.getAddress()).isEqualTo("rediss://[::1]:7"))
                .satisfies(server -> assertThat(server.getDatabase()).isEqualTo(2));
        assertThat(client("rediss-cluster://a").useClusterServers().getNodeAddresses())
                .containsExactly("rediss://a:6379");
        assertThat(client("rediss-sentinel://a#main").useSentinelServers().getSentinelAddresses())
                .containsExactly("rediss://a:26379");
    }

    @Test
    void serversOfOneClientHaveOneLogin() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client("redis://:hunter2@a,redis://:hunter3@b"))
                .withMessageContaining("differ in user, password or TLS")
                .withMessageNotContaining("hunter");
    }

    @Test
    void sentinelsHaveALoginOnlyWhereTheServersHaveOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client("redis-sentinel://a/0?sentinelPassword=hunter2#main"))
                .withMessageContaining("give the servers a password")
                .withMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://:hunter2@a | redis://***@a:6379",
                "redis://:hunter2@a,redis://:hunter2@b | the primary of redis://***@a:6379, redis://***@b:6379",
                "redis-cluster://:hunter2@a,b | the cluster of redis://***@a:6379, redis://***@b:6379",
                "redis-sentinel://:hunter2@a,b#main | the primary \"main\" of the sentinels redis://a:26379, redis://b:26379"
            })
    void messagesNameTheServersWithoutPasswords(String endpoints, String servers) {
        assertThat(new ClientConfig(LockConfig.of(endpoints)).servers()).isEqualTo(servers);
    }

    @ParameterizedTest
    @CsvSource({
        "interlock, a, a, redisson_lock_token:{a}, redisson_lock__channel:{a}",
        "interlock, x{a}y, x{a}y, redisson_lock_token:x{a}y, redisson_lock__channel:x{a}y",
        "app, a, app:{a}, redisson_lock_token:app:{a}, redisson_lock__channel:app:{a}"
    })
    void keysAndChannelsAreThoseOfRedisson(String prefix, String name, String lock, String token, String channel) {
        RedissonKeys keys = new RedissonKeys(prefix, UnaryOperator.identity(), false);
        assertThat(keys.plainName(name)).isEqualTo(lock);
        assertThat(keys.lock(name)).isEqualTo(lock);
        assertThat(keys.token(name)).isEqualTo(token);
        assertThat(keys.channel(name)).isEqualTo(channel);
        assertThat(keys.canListen()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "interlock, a, redisson_rwlock:{a}, {a}:x:1:rwlock_timeout:1",
        "interlock, x{a}y, redisson_rwlock:x{a}y, x{a}y:x:1:rwlock_timeout:1",
        "app, a, redisson_rwlock:app:{a}, app:{a}:x:1:rwlock_timeout:1"
    })
    void channelsAndHoldsOfReadWriteLocksAreThoseOfRedisson(String prefix, String name, String channel, String hold) {
        RedissonKeys keys = new RedissonKeys(prefix, UnaryOperator.identity(), false);
        assertThat(keys.readWriteChannel(name)).isEqualTo(channel);
        assertThat(RedissonKeys.hold(keys.holds(name), "x:1")).isEqualTo(hold);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "x{a}y", "a{b", "a}b", "{}", "{", "}", "}{", "{}a{b}", "grün{"})
    void inAClusterAllKeysAndChannelsOfALockAreInItsSlot(String name) {
        for (String prefix : List.of("interlock", "app")) {
            RedissonKeys keys = new RedissonKeys(prefix, UnaryOperator.identity(), true);
            int slot = RedissonSlots.of(keys.lock(name));
            assertThat(RedissonSlots.of(keys.token(name))).isEqualTo(slot);
            assertThat(RedissonSlots.of(keys.channel(name))).isEqualTo(slot);
            assertThat(RedissonSlots.of(keys.readWriteChannel(name))).isEqualTo(slot);
            assertThat(RedissonSlots.of(RedissonKeys.hold(keys.holds(name), "x:1")))
                    .isEqualTo(slot);
        }
    }

    @ParameterizedTest
    @CsvSource({"a{b, 4q2", "{}, 2ml"})
    void aNameWhoseKeysRedissonWouldSpreadOverSlotsHasATagThatStaysTheSame(String name, String tag) {
        RedissonKeys keys = new RedissonKeys("interlock", UnaryOperator.identity(), true);
        assertThat(keys.token(name)).isEqualTo("interlock_lock_token:{" + tag + "}:" + name);
        assertThat(keys.channel(name)).isEqualTo("interlock_lock__channel:{" + tag + "}:" + name);
    }
}
