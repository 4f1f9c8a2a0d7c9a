// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The outcomes of the protocol's methods, and the time for which they block. */
class ProtocolTest {
    private final Fixture redis = new Fixture();
    private final List<LeaseProtocol> protocols = new ArrayList<>();

    @AfterEach
    void stop() {
        protocols.forEach(LeaseProtocol::close);
        redis.close();
    }

    private LeaseProtocol protocol() {
        LockConfig config =
                LockConfig.builder().commandTimeout(Fixture.PATIENCE).build();
        RedissonFailures failures = new RedissonFailures("the server");
        LeaseProtocol protocol = new RedissonProtocol(
                new HandedInClient(redis.plain(), failures, Environment.system()),
                new RedissonKeys(config.keyPrefix(), UnaryOperator.identity(), false),
                Settings.of(config),
                failures,
                config,
                Environment.system());
        protocols.add(protocol);
        return protocol;
    }

    private static Claim claim(String name) {
        return new Claim(name, Environment.system().newToken(), Duration.ofSeconds(30), Fixture.PATIENCE, 1);
    }

    private static Claim held(LeaseProtocol protocol, String name) {
        Claim claim = claim(name);
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        return claim;
    }

    @Test
    void aRenewalNeverBringsTheEndNearer() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, Fixture.NAME);
        protocol.renew(List.of(claim.withLease(Duration.ofHours(1))));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol().attempt(claim(Fixture.NAME)))
                .isInstanceOfSatisfying(
                        Attempt.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .hasValueSatisfying(left -> assertThat(left).isGreaterThan(Duration.ofMinutes(50))));
    }

    @Test
    void aLockIsLockedWhileAnybodyHoldsIt() {
        LeaseProtocol protocol = protocol();
        assertThat(protocol.isLocked(Fixture.NAME)).isFalse();
        Claim claim = held(protocol, Fixture.NAME);
        assertThat(protocol.isLocked(Fixture.NAME)).isTrue();
        assertThat(protocol().isLocked(Fixture.NAME)).isTrue();
        protocol.release(claim);
        assertThat(protocol.isLocked(Fixture.NAME)).isFalse();
        redis.plain().getLock(Fixture.NAME).lock();
        assertThat(protocol.isLocked(Fixture.NAME)).isTrue();
    }

    @Test
    void aReleaseTellsWhyTheLockWasNotHeldAnyMore() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, Fixture.NAME);
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        held(protocol, Fixture.NAME);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.TAKEN));
    }

    @Test
    void requestsWaitForAnswersOnlyAsLongAsTheClaimSays() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, Fixture.NAME).withTimeout(Duration.ofMillis(50));
        redis.server.pause();
        // With the command time-out they would wait for longer than the test may take.
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Failed.class);
        assertThat(protocol.renew(List.of(claim)).get(0)).isInstanceOf(Renewal.Failed.class);
        assertThatThrownBy(() -> protocol.release(claim)).isInstanceOf(LockBackendException.class);
        redis.server.resume();
    }

    /** A protocol with a client of its own. */
    private LeaseProtocol own() {
        LockConfig config = LockConfig.builder()
                .endpoints(redis.server.uri())
                .commandTimeout(Fixture.PATIENCE)
                .build();
        Settings settings = Settings.of(config);
        RedissonFailures failures = new RedissonFailures("the server");
        LeaseProtocol protocol = new RedissonProtocol(
                new OwnClient(new ClientConfig(config).build(), failures, Environment.system()),
                new RedissonKeys(config.keyPrefix(), UnaryOperator.identity(), false),
                settings,
                failures,
                config,
                Environment.system());
        protocols.add(protocol);
        return protocol;
    }

    private void listen(LeaseProtocol protocol) throws InterruptedException {
        long before = listeners();
        CountDownLatch begun = new CountDownLatch(1);
        protocol.watch(Fixture.NAME, begun::countDown);
        assertThat(begun.await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(Fixture.PATIENCE).until(() -> listeners() == before + 1);
    }

    private long listeners() {
        return (Long) ((List<?>) redis.server.command("PUBSUB", "NUMSUB", Fixture.CHANNEL)).get(1);
    }

    private static Release released(LeaseProtocol protocol) {
        return protocol.release(held(protocol, Fixture.NAME));
    }

    @Test
    void aReleaseKnowsWhetherAnotherClientListens() throws Exception {
        LeaseProtocol protocol = own();
        LeaseProtocol other = own();
        assertThat(released(protocol)).isEqualTo(new Release.Freed(false));
        listen(protocol);
        await().atMost(Fixture.PATIENCE)
                .untilAsserted(() ->
                        assertThat(released(protocol)).as("it listens itself").isEqualTo(new Release.Freed(false)));
        assertThat(released(other)).isEqualTo(new Release.Freed(true));
        listen(other);
        assertThat(released(protocol)).isEqualTo(new Release.Freed(true));
    }

    @Test
    void overAClientThatIsSharedOthersMayListenByTheSameSubscription() throws Exception {
        LeaseProtocol protocol = protocol();
        assertThat(released(protocol)).isEqualTo(new Release.Freed(false));
        listen(protocol);
        assertThat(released(protocol)).isEqualTo(new Release.Freed(true));
    }

    @Test
    void manyLocksAreReleasedByOneRequestAndOthersAreNotTouched() {
        LeaseProtocol protocol = protocol();
        released(protocol);
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            claims.add(held(protocol, "many-" + i));
        }
        redis.server.command("DEL", "many-7");
        held(protocol(), "many-7");
        held(protocol(), "others");
        try (CommandMonitor monitor = redis.server.monitor()) {
            protocol.releaseAll(claims);
            monitor.sync();
            assertThat(monitor.commands()).hasSize(1);
        }
        assertThat(claims).map(Claim::name).filteredOn(protocol::isLocked).containsExactly("many-7");
        assertThat(protocol.isLocked("others")).isTrue();
    }
}
