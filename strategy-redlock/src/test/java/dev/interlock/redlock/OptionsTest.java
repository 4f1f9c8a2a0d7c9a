// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import io.lettuce.core.RedisClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final LockConfig CONFIG = LockConfig.of("redis://a.invalid,redis://b.invalid,redis://c.invalid");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static void make(LockConfig config) {
        DistributedLocks.getInstance("redlock", config).close();
    }

    private static LockConfig servers(int count) {
        return LockConfig.of(IntStream.range(0, count)
                .mapToObj(i -> "redis://n" + i + ".invalid")
                .collect(Collectors.joining(",")));
    }

    @Test
    void makingAFactoryDoesNotNeedTheServers() {
        make(CONFIG);
    }

    @Test
    void theStrategyIsFoundByItsName() {
        assertThat(DistributedLocks.strategies())
                .filteredOn(provider -> provider.name().equals("redlock"))
                .singleElement()
                .isInstanceOf(RedlockStrategyProvider.class);
    }

    @Test
    void whatAMajorityCannotKeepIsRefusedWithAWordOnWhoHasItAndWhereTheReasonsStand() {
        try (DistributedLockFactory locks = DistributedLocks.getInstance("redlock", CONFIG)) {
            DistributedLock lock = locks.getLock("a");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(lock::newCondition)
                    .withMessageContainingAll("\"redlock\"", "such as set-nx-px", "docs/conditions.md");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> lock.condition("notEmpty"))
                    .withMessageContainingAll("\"redlock\"", "such as set-nx-px", "docs/conditions.md");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> locks.getReadWriteLock("a"))
                    .withMessageContainingAll("\"redlock\"", "such as set-nx-px", "docs/read-write.md");
            assertThat(locks.getLock(List.of("b", "a")).names()).containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a:6379 | has the entry \"a:6379\"",
                "a=300ms | has the entry \"a=300ms\"",
                "a:6379=300ms, | has the entry \"\"",
                "a:6379=soon | \"soon\" is no duration",
                "a:6379=0ms | it must lie between",
                "a:6379=1s,a:6379=2s | names a:6379 twice"
            })
    void timeoutsOfSingleServersThatMakeNoSenseAreRefused(String value, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.builder()
                        .endpoints("redis://a,redis://b,redis://c")
                        .option("node-timeouts", value)
                        .build()))
                .withMessageContaining("option node-timeouts")
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://:hunter2@h1,h2/0#master",
                "redis://a,redis-sentinel://:hunter2@h1,h2/0#master,redis://b"
            })
    void anEndpointThatIsNotOfRedisIsNamedWithoutItsPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of(uris)))
                .withMessageContaining("endpoint \"redis-sentinel://***@h1,h2/0#master\" does not begin with redis://")
                .withMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "node-timeout, soon, no duration",
        "node-timeout, 0ms, must lie between",
        "drift, 0.6, must be a number from 0 to 0.5",
        "drift, some, must be a number from 0 to 0.5",
        "drift, -0.1, must be a number from 0 to 0.5",
        "max-lease, 10s, longer than the option max-lease",
        "min-validity, 30s, leaves no more than the option min-validity",
        "cold-start, hope, must be wait or trust",
        "fencing, maybe, must be true or false",
        "even-nodes, yes, must be refuse or allow",
        "client, jedis, must be interlock or lettuce",
        "quorum, 3, it has: client",
        "wire-announce, registry-channel, it has: client",
    })
    void anOptionThatMakesNoSenseIsExplained(String option, String value, String explanation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(CONFIG.toBuilder().option(option, value).build()))
                .withMessageContaining(explanation)
                .withMessageContaining(option);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 7, 9})
    void oddNumbersOfServersUpToNineWillDo(int count) {
        make(servers(count));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    void evenNumbersOfServersHaveToBeAllowed(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(servers(count)))
                .withMessageContaining("was given " + count + " servers")
                .withMessageContaining("even-nodes=allow");
        make(servers(count).toBuilder().option("even-nodes", "allow").build());
    }

    @Test
    void noServersOrTooManyAreAnError() {
        for (LockConfig config : List.of(LockConfig.builder().build(), servers(10))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> make(config))
                    .withMessageContaining("1 to 9 servers")
                    .withMessageContaining("names " + config.endpoints().size());
        }
    }

    @Test
    void theProfileFollowsTheOptions() {
        Settings usual = Settings.of(CONFIG);
        assertThat(usual.profile(3)).isEqualTo(new RedlockStrategyProvider().profile());
        assertThat(usual.profile(3).assumptions()).doesNotContain(Assumption.RESTART_KEEPS_DATA);
        assertThat(usual.profile(1).supports(Capability.QUORUM)).isFalse();
        Settings other = Settings.of(CONFIG.toBuilder()
                .option("cold-start", "trust")
                .option("fencing", "false")
                .build());
        assertThat(other.profile(3).assumptions()).contains(Assumption.RESTART_KEEPS_DATA);
        assertThat(other.profile(3).supports(Capability.FENCING)).isFalse();
    }

    @Test
    void theTimeForOneServerIsSmallAgainstTheLease() {
        Settings usual = Settings.of(CONFIG);
        assertThat(usual.patience(Duration.ofSeconds(30), SECOND).answerNanos()).isEqualTo(50_000_000);
        assertThat(usual.patience(Duration.ofMillis(400), SECOND).answerNanos()).isEqualTo(20_000_000);
        Settings other =
                Settings.of(CONFIG.toBuilder().option("node-timeout", "7ms").build());
        assertThat(other.patience(Duration.ofSeconds(30), SECOND).answerNanos()).isEqualTo(7_000_000);
    }

    @Test
    void aLeaseIsValidForLessThanItLastsOnTheServers() {
        assertThat(Settings.of(CONFIG).validityNanos(Duration.ofSeconds(10))).isEqualTo(9_898_000_000L);
        Settings none = Settings.of(CONFIG.toBuilder().option("drift", "0").build());
        assertThat(none.validityNanos(Duration.ofSeconds(10))).isEqualTo(9_998_000_000L);
    }

    @Test
    void serversThatAreTrustedSetNoBoundToLeases() {
        make(CONFIG.toBuilder()
                .option("cold-start", "trust")
                .lockDefaults(LockOptions.builder().lease(Duration.ofHours(1)).build())
                .build());
    }

    @Test
    void aBuilderWithoutAClientIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedlockLocks.builder().build())
                .withMessageContaining("no client was given");
    }

    @Test
    void serversAreGivenInOneWay() {
        Function<String, RedisNode> connect = address -> {
            throw new AssertionError("nothing is connected");
        };
        RedlockLocks nodes = RedlockLocks.builder().nodes(List.of("a.invalid:6379"), connect, Environment.system());
        assertThatIllegalStateException()
                .isThrownBy(() -> nodes.connections(settings -> {}).build())
                .withMessageContaining("connections(…)");
        RedisClient client = RedisClient.create();
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> RedlockLocks.builder()
                            .lettuce(client, List.of())
                            .nodes(List.of(), connect, Environment.system())
                            .build())
                    .withMessageContaining("lettuce(…) and nodes(…)");
        } finally {
            client.shutdown();
        }
    }

    @ParameterizedTest
    @CsvSource({"a.invalid b.invalid c.invalid, trust", "a.invalid b.invalid, wait"})
    void operationsThatAreRefusedLeaveNoPortOpen(String servers, String coldStart) {
        Set<RedisNode> open = new HashSet<>();
        LockConfig config = CONFIG.toBuilder().option("cold-start", coldStart).build();
        List<String> addresses = List.of(servers.split(" "));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        RedlockOperations.connect(config, addresses, address -> openPort(open), Environment.system()));
        assertThat(open).isEmpty();
    }

    @Test
    void aPortThatCannotBeOpenedLeavesNoOtherOpen() {
        Set<RedisNode> open = new HashSet<>();
        List<String> addresses = List.of("a.invalid", "b.invalid", "c.invalid");
        Function<String, RedisNode> connect = address -> {
            if (address.startsWith("c")) {
                throw new IllegalStateException("no port to " + address);
            }
            return openPort(open);
        };
        assertThatIllegalStateException()
                .isThrownBy(() -> RedlockOperations.connect(CONFIG, addresses, connect, Environment.system()))
                .withMessage("no port to c.invalid");
        assertThat(open).isEmpty();
    }

    private static RedisNode openPort(Set<RedisNode> open) {
        RedisNode port = (RedisNode) Proxy.newProxyInstance(
                RedisNode.class.getClassLoader(), new Class<?>[] {RedisNode.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "close" -> open.removeIf(node -> node == self);
                        case "hashCode" -> {
                            return System.identityHashCode(self);
                        }
                        case "toString" -> {
                            return "a port";
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
        open.add(port);
        return port;
    }
}
