// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

class OptionsTest {
    private static final LockConfig CONFIG = LockConfig.of("redis://127.0.0.1:1");

    private static DistributedLockFactory make(LockConfig config) {
        return DistributedLocks.getInstance("setnx-getset", config);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-sentinel://:hunter2@h1,h2/x#master"})
    void anEndpointThatIsNotOfRedisIsNamedWithoutItsPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of(uris)))
                .withMessageContaining("endpoint \"redis-sentinel://***@h1,h2/x#master\" cannot be used")
                .withMessageNotContaining("hunter2");
    }

    @Test
    void connectionsOfOurOwnLogInWithWhatASupplierTells() {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL SETUSER locker on >token ~lock.* +@all".split(" "));
            LockConfig config = LockConfig.builder()
                    .endpoints(server.uri())
                    .commandTimeout(Duration.ofSeconds(60))
                    .build();
            try (DistributedLockFactory factory = SetnxGetsetLocks.builder()
                    .config(config)
                    .connections(settings -> settings.credentials(() -> RedisCredentials.of("locker", "token"))
                            .clientName("supplied"))
                    .build()) {
                assertThat(factory.getLock("supplied").tryLock()).isTrue();
                assertThat(String.valueOf(server.command("CLIENT", "LIST")))
                        .contains("name=supplied")
                        .contains("user=locker");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "unit, minutes, must be seconds or milliseconds",
        "fraction, maybe, must be true or false",
        "clock, sun, must be client or server or observed",
        "clock-max-ahead, soon, soon",
        "clock-max-ahead, 1ms, must lie between PT2S",
        "client, lettuce, must be interlock or jedis",
        "quorum, 3, 'it has: client, shared-connections, unit, fraction, clock, clock-max-ahead'",
    })
    void anOptionThatMakesNoSenseIsExplained(String option, String value, String explanation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(CONFIG.toBuilder().option(option, value).build()))
                .withMessageContaining(explanation)
                .withMessageContaining(option);
    }

    @Test
    void endpointsThatDoNotBelongTogetherAreAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of("redis://a,redis-sentinel://b/#main")))
                .withMessageContaining("different schemes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.builder().build()))
                .withMessageContaining("names no endpoint");
    }

    @Test
    void theProfileSaysWhatCannotBeHad() {
        try (DistributedLockFactory locks = make(CONFIG)) {
            assertThat(locks.profile().capabilities())
                    .containsExactly(
                            Capability.REENTRANT,
                            Capability.AUTO_RENEWAL,
                            Capability.SAFE_RELEASE,
                            Capability.SEVERAL_NAMES);
            assertThat(locks.profile().assumptions()).contains(Assumption.CLIENT_CLOCKS_AGREE);
            assertThat(locks.profile().summary()).contains("poll").contains("move the end of another's lease");
        }
    }

    @Test
    void wholeNumbersCannotTellTwoHoldersApart() {
        try (DistributedLockFactory locks =
                make(CONFIG.toBuilder().option("fraction", "false").build())) {
            assertThat(locks.profile().supports(Capability.SAFE_RELEASE)).isFalse();
        }
    }

    @Test
    void aClientThatIsHandedInIsUsedAndNotClosed() {
        try (Fixture redis = new Fixture();
                RedisClient client = RedisClient.builder()
                        .hostAndPort("127.0.0.1", redis.server.port())
                        .clientConfig(DefaultJedisClientConfig.builder()
                                .timeoutMillis(Math.toIntExact(Fixture.TIMEOUT.toMillis()))
                                .build())
                        .build()) {
            try (DistributedLockFactory factory = SetnxGetsetLocks.builder()
                    .jedis(client)
                    .config(LockConfig.builder().commandTimeout(Fixture.TIMEOUT).build())
                    .build()) {
                DistributedLock lock = factory.getLock(Fixture.NAME);
                lock.lock();
                assertThat(redis.value()).isNotNull();
                assertThat(redis.factory().getLock(Fixture.NAME).tryLock()).isFalse();
                lock.unlock();
            }
            assertThat(client.ping()).isEqualTo("PONG");
            assertThat(client.getPool().getNumActive()).isZero();
        }
    }

    @Test
    void aBuilderWithoutAClientSaysWhatIsMissing() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SetnxGetsetLocks.builder().config(CONFIG).build())
                .withMessageContaining("jedis(…)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> {
                    try (RedisClient client = RedisClient.create("127.0.0.1", 1)) {
                        SetnxGetsetLocks.builder()
                                .jedis(client)
                                .config(CONFIG.toBuilder().option("quorum", "3").build())
                                .build();
                    }
                })
                .withMessageContaining("has no option \"quorum\"");
    }

    @Test
    void aKeyPrefixComesBeforeTheHistoricalOne() {
        try (Fixture redis = new Fixture();
                DistributedLockFactory factory = make(LockConfig.builder()
                        .endpoints(redis.server.uri())
                        .commandTimeout(Fixture.TIMEOUT)
                        .keyPrefix("app")
                        .build())) {
            factory.getLock(Fixture.NAME).lock();
            assertThat(redis.server.command("EXISTS", "app:lock.foo")).isEqualTo(1L);
        }
    }
}
