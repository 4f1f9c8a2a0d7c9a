// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.SetNxPxLocks;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.Capability;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

class OptionsTest {
    private static final LockConfig CONFIG = LockConfig.of("redis://127.0.0.1:1");

    private static void make(LockConfig config) {
        DistributedLocks.getInstance("set-nx-px", config).close();
    }

    @Test
    void makingAFactoryDoesNotNeedTheServer() {
        make(CONFIG);
        make(CONFIG.toBuilder().option("client", "lettuce").build());
        make(CONFIG.toBuilder().option("client", "jedis").build());
    }

    @Test
    void theStrategyIsFoundByItsName() {
        assertThat(DistributedLocks.strategies())
                .filteredOn(provider -> provider.name().equals("set-nx-px"))
                .singleElement()
                .isInstanceOf(SetNxPxStrategyProvider.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-sentinel://:hunter2@h1,h2/x#master"})
    void anEndpointThatIsNotOfRedisIsNamedWithoutItsPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of(uris)))
                .withMessageContaining("endpoint \"redis-sentinel://***@h1,h2/x#master\" cannot be used")
                .withMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "client, valkey, must be interlock or jedis or lettuce",
        "fencing, maybe, must be true or false",
        "release, del, must be script or transaction",
        "release, transaction, set fencing=false as well",
        "wakeup, shout, must be queue or pubsub or poll",
        "connections, 0, must be a number from 1 to 1000",
        "connections, many, must be a number from 1 to 1000",
        "client-name, two words, without spaces",
        "connect-timeout, 0s, connect-timeout",
        "keep-alive, 1ms, keep-alive",
        "tls-ca, absent.pem, absent.pem does not exist",
        "replicas, -1, must be a number from 0 to 1000",
        "replicas, 1001, must be a number from 0 to 1000",
        "replicas, all, must be a number from 0 to 1000",
        "durability, tape, must be memory or disk",
        "card, maybe, must be true or false",
        "wire, spring, must be interlock or plain",
        "wire-prefix, app:, set wire=plain as well",
        "wire-suffix, .lock, set wire=plain as well",
        "wire-announce, registry-channel, set wire=plain as well",
        "quorum, 3, 'it has: client, shared-connections, fencing, release, wakeup, replicas, durability, card, wire'",
    })
    void anOptionThatMakesNoSenseIsExplained(String option, String value, String explanation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(CONFIG.toBuilder().option(option, value).build()))
                .withMessageContaining(explanation)
                .withMessageContaining(
                        option.startsWith("tls")
                                ? explanation
                                : option.replace('-', ' ').split(" ")[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65", "-1", "many", ""})
    void aNumberOfSharedConnectionsThatMakesNoSenseIsExplained(String number) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(CONFIG.toBuilder()
                        .option("client", "interlock")
                        .option("shared-connections", number)
                        .build()))
                .withMessageContaining("option shared-connections is \"" + number + "\"")
                .withMessageContaining("from 1 to 64");
    }

    @Test
    void theOrderOfArrivalIsPromisedWhereThereIsAQueue() {
        assertThat(profile(CONFIG)).contains(Capability.FAIR, Capability.PUSH_WAKEUP);
        assertThat(profile(CONFIG.toBuilder().option("wakeup", "pubsub").build()))
                .contains(Capability.PUSH_WAKEUP)
                .doesNotContain(Capability.FAIR);
        assertThat(profile(CONFIG.toBuilder().option("wakeup", "poll").build()))
                .doesNotContain(Capability.FAIR, Capability.PUSH_WAKEUP);
        LockConfig transaction = CONFIG.toBuilder()
                .option("release", "transaction")
                .option("fencing", "false")
                .build();
        assertThat(profile(transaction)).contains(Capability.PUSH_WAKEUP).doesNotContain(Capability.FAIR);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        make(transaction.toBuilder().option("wakeup", "queue").build()))
                .withMessageContaining("wakeup=pubsub");
    }

    @ParameterizedTest
    @CsvSource({"wakeup, pubsub, set wakeup=queue or wakeup=poll", "wire-prefix, interlock:x, set another keyPrefix"})
    void whatDoesNotGoWithPlainKeysIsExplained(String option, String value, String explanation) {
        LockConfig config =
                CONFIG.toBuilder().option("wire", "plain").option(option, value).build();
        assertThatIllegalArgumentException().isThrownBy(() -> make(config)).withMessageContaining(explanation);
    }

    @ParameterizedTest
    @CsvSource({"replicas, 1", "durability, disk"})
    void aTransactionCannotWaitForReplicasOrTheDisk(String option, String value) {
        LockConfig config = CONFIG.toBuilder()
                .option("release", "transaction")
                .option("fencing", "false")
                .option(option, value)
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(config))
                .withMessageContaining("release=transaction cannot wait for replicas or the disk");
    }

    @Test
    void aTransactionCannotAnnounceItsRelease() {
        LockConfig config = CONFIG.toBuilder()
                .option("release", "transaction")
                .option("fencing", "false")
                .option("wire", "plain")
                .option("wire-announce", "registry-channel")
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(config))
                .withMessageContaining("release=transaction cannot announce a release");
    }

    private static Set<Capability> profile(LockConfig config) {
        try (DistributedLockFactory factory = DistributedLocks.getInstance("set-nx-px", config)) {
            return factory.profile().capabilities();
        }
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
    void aBuilderWithAClientAndConnectionsOfItsOwnIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> {
                    try (RedisClient client = RedisClient.create("localhost", 1)) {
                        SetNxPxLocks.builder()
                                .jedis(client)
                                .connections(settings -> {})
                                .build();
                    }
                })
                .withMessageContaining("both a client and connections(…)");
    }

    @Test
    void aBuilderWithoutAClientIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SetNxPxLocks.builder().build())
                .withMessageContaining("no client was given");
    }
}
