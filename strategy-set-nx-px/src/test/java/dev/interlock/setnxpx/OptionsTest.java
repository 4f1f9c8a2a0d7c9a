// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.spi.Capability;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final LockConfig CONFIG = LockConfig.of("redis://127.0.0.1:1");

    private static void make(LockConfig config) {
        DistributedLocks.getInstance("set-nx-px", config).close();
    }

    @Test
    void makingAFactoryDoesNotNeedTheServer() {
        make(CONFIG);
        make(CONFIG.toBuilder().option("client", "lettuce").build());
        make(CONFIG.toBuilder().option("client", "interlock").build());
    }

    @Test
    void theStrategyIsFoundByItsName() {
        assertThat(DistributedLocks.strategies())
                .filteredOn(provider -> provider.name().equals("set-nx-px"))
                .singleElement()
                .isInstanceOf(SetNxPxStrategyProvider.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-sentinel://:hunter2@h1,h2/0#master"})
    void anEndpointThatIsNotOfRedisIsNamedWithoutItsPassword(String uris) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of(uris)))
                .withMessageContaining("endpoint \"redis-sentinel://***@h1,h2/0#master\" does not begin with redis://")
                .withMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "client, valkey, must be jedis or lettuce or interlock",
        "fencing, maybe, must be true or false",
        "release, del, must be script or transaction",
        "release, transaction, set fencing=false as well",
        "wakeup, shout, must be queue or pubsub or poll",
        "quorum, 3, 'it has: client, shared-connections, fencing, release, wakeup'",
    })
    void anOptionThatMakesNoSenseIsExplained(String option, String value, String explanation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(CONFIG.toBuilder().option(option, value).build()))
                .withMessageContaining(explanation)
                .withMessageContaining(option);
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

    private static Set<Capability> profile(LockConfig config) {
        try (DistributedLockFactory factory = DistributedLocks.getInstance("set-nx-px", config)) {
            return factory.profile().capabilities();
        }
    }

    @Test
    void moreOrFewerThanOneServerIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.of("redis://a,redis://b")))
                .withMessageContaining("uses one server")
                .withMessageContaining("names 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(LockConfig.builder().build()))
                .withMessageContaining("names 0");
    }

    @Test
    void aBuilderWithoutAClientIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SetNxPxLocks.builder().build())
                .withMessageContaining("no client was given");
    }
}
