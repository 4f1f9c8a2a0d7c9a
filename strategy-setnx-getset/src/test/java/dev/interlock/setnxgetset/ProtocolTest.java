// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.RedisNode;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The outcomes of the protocol's methods, and the time for which they block. */
class ProtocolTest {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    private LeaseProtocol protocol(String clock) {
        return protocol(clock, Duration.ZERO);
    }

    private LeaseProtocol protocol(String clock, Duration ahead) {
        return protocol(clock, ahead, node -> node);
    }

    private LeaseProtocol protocol(String clock, Duration ahead, UnaryOperator<RedisNode> wrapping) {
        return protocol(clock, () -> ahead, wrapping);
    }

    private LeaseProtocol protocol(String clock, Supplier<Duration> ahead, UnaryOperator<RedisNode> wrapping) {
        return protocol(config -> config.option("clock", clock), ahead, wrapping);
    }

    private LeaseProtocol protocol(
            UnaryOperator<LockConfig.Builder> options, Supplier<Duration> ahead, UnaryOperator<RedisNode> wrapping) {
        return redis.protocol(options, ahead, wrapping);
    }

    private static Claim claim(String name, Duration lease) {
        return new Claim(name, Environment.system().newToken(), lease, Fixture.PATIENCE, 1);
    }

    private static Claim held(LeaseProtocol protocol, String name) {
        Claim claim = claim(name, LEASE);
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        return claim;
    }

    @Test
    void aRenewalThatOvertakesTheReleaseIsNotTakenForAnotherHolder() {
        AtomicReference<Runnable> renewal = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol(
                "client",
                Duration.ZERO,
                node -> new MeddlingNode(
                        node, "transaction", () -> renewal.getAndSet(() -> {}).run()));
        Claim claim = held(protocol, Fixture.NAME);
        renewal.set(() -> protocol.renew(List.of(claim.withLease(LEASE.multipliedBy(2)))));

        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(redis.value()).isNull();
    }

    @Test
    void aRenewalNeverBringsTheEndNearer() {
        LeaseProtocol protocol = protocol("client");
        Claim claim = held(protocol, Fixture.NAME);
        protocol.renew(List.of(claim.withLease(Duration.ofHours(1))));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol("client", Duration.ofMinutes(50)).isLocked(Fixture.NAME))
                .isTrue();
    }

    @Test
    void aWallClockThatIsSetBackMakesNoLeaseLongerWhereNoClockIsTrusted() {
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
        LeaseProtocol protocol = protocol("observed", ahead::get, node -> node);
        Claim claim = held(protocol, Fixture.NAME);

        ahead.set(Duration.ofHours(-1));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(writtenLease()).isEqualTo(LEASE);
    }

    @Test
    void aRenewalNeverMakesALeaseShorterThatIsStillToRunWhereNoClockIsTrusted() {
        LeaseProtocol protocol = protocol("observed");
        Claim claim = held(protocol, Fixture.NAME);
        protocol.renew(List.of(claim.withLease(Duration.ofHours(1))));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(writtenLease()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
    }

    /** The lease that the timestamp in the key tells. */
    private Duration writtenLease() {
        return new TimestampFormat(true, true)
                .read(redis.value())
                .flatMap(Timestamp::lease)
                .orElseThrow();
    }

    @Test
    void aRenewalThatAnotherOneOvertakesStillHoldsTheLockAndKeepsTheLaterEnd() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol(
                "client",
                Duration.ZERO,
                node -> new MeddlingNode(
                        node, "transaction", () -> other.getAndSet(() -> {}).run()));
        Claim claim = held(protocol, Fixture.NAME);
        other.set(() -> assertThat(protocol.renew(List.of(claim.withLease(Duration.ofHours(1)))))
                .first()
                .isInstanceOf(Renewal.Renewed.class));

        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol("client", Duration.ofMinutes(50)).isLocked(Fixture.NAME))
                .isTrue();
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(redis.value()).isNull();
    }

    @Test
    void aRenewalThatAnotherOneOvertakesBeforeItsReplyComesStillHoldsTheLock() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol(
                "client",
                Duration.ZERO,
                node -> new MeddlingNode(
                        node, "end of transaction", () -> other.get().run()));
        Claim claim = held(protocol, Fixture.NAME);
        other.set(() -> assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Renewed.class));

        assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Renewed.class);
        assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(redis.value()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "server", "observed"})
    void aLockIsLockedWhileAnybodyHoldsIt(String clock) {
        LeaseProtocol holder = protocol(clock);
        LeaseProtocol other = protocol(clock);
        assertThat(other.isLocked(Fixture.NAME)).isFalse();
        Claim claim = held(holder, Fixture.NAME);
        String value = redis.value();
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(holder.isLocked(Fixture.NAME)).isTrue();
            assertThat(other.isLocked(Fixture.NAME)).isTrue();
            monitor.sync();
            assertThat(monitor.commands())
                    .extracting(command -> command.get(0).toUpperCase(Locale.ROOT))
                    .containsOnly(clock.equals("server") ? new String[] {"TIME", "GET"} : new String[] {"GET"});
        }
        assertThat(redis.value()).isEqualTo(value);
        holder.release(claim);
        assertThat(other.isLocked(Fixture.NAME)).isFalse();
    }

    @Test
    void aTimestampThatHasPassedIsNoLockByTheClockInUse() {
        held(protocol("client"), Fixture.NAME);
        Duration ahead = LEASE.plusMinutes(1);
        assertThat(protocol("client", ahead).isLocked(Fixture.NAME)).isFalse();
        assertThat(protocol("server", ahead).isLocked(Fixture.NAME)).isTrue();
        assertThat(protocol("observed", ahead).isLocked(Fixture.NAME)).isTrue();
    }

    @Test
    void whoeverOnlyLooksAtALeaseThatIsOverDoesNotDelayItsEnd() {
        Duration lease = Duration.ofMillis(100);
        assertThat(protocol("observed").attempt(claim(Fixture.NAME, lease))).isInstanceOf(Attempt.Granted.class);
        LeaseProtocol observer = protocol("observed");
        await().atMost(Fixture.PATIENCE).until(() -> !observer.isLocked(Fixture.NAME));
        assertThat(observer.isLocked(Fixture.NAME)).isFalse();
        assertThat(observer.attempt(claim(Fixture.NAME, LEASE))).isInstanceOf(Attempt.Granted.class);
        assertThat(observer.isLocked(Fixture.NAME)).isTrue();
    }

    @Test
    void whetherAKeyThatHoldsNoTimeIsALockNobodyCanSay() {
        redis.server.command("SET", Fixture.KEY, "something else");
        LeaseProtocol protocol = protocol("client");
        assertThatThrownBy(() -> protocol.isLocked(Fixture.NAME))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
    }

    @Test
    void aReleaseTellsWhyTheLockWasNotHeldAnyMore() {
        LeaseProtocol protocol = protocol("client");
        Claim claim = held(protocol, Fixture.NAME);
        assertThat(protocol.release(claim)).as("others ask, and tell nobody").isEqualTo(new Release.Freed(true));
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        held(protocol, Fixture.NAME);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.TAKEN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "server"})
    void requestsWaitForAnswersOnlyAsLongAsTheClaimSays(String clock) {
        LeaseProtocol protocol = protocol(clock);
        Claim claim = held(protocol, Fixture.NAME).withTimeout(Duration.ofMillis(50));
        redis.server.pause();
        // With the command time-out they would wait for longer than the test may take.
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Failed.class);
        assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Failed.class);
        assertThatThrownBy(() -> protocol.release(claim)).isInstanceOf(LockBackendException.class);
        redis.server.resume();
    }

    private LeaseProtocol protocolOfWholeNumbers(Supplier<Duration> ahead, String step, Runnable meddling) {
        return protocol(
                config -> config.option("fraction", "false"), ahead, node -> new MeddlingNode(node, step, meddling));
    }

    private static void loseReply() {
        throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the reply is lost");
    }

    private static void release(LeaseProtocol protocol, Claim claim, boolean together) {
        if (together) {
            protocol.releaseAll(List.of(claim));
        } else {
            protocol.release(claim);
        }
    }

    /** Whoever acquires the lock after a release that was carried out may have written the same number. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReleaseByAWholeNumberIsNotRepeatedIfTheFirstMayHaveBeenCarriedOut(boolean together) {
        LeaseProtocol protocol = protocolOfWholeNumbers(() -> Duration.ZERO, "transaction", ProtocolTest::loseReply);
        Claim claim = held(protocol, Fixture.NAME);
        String number = redis.value();
        assertThatThrownBy(() -> release(protocol, claim, together)).hasMessage("the reply is lost");

        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        assertThat(redis.value()).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReleaseByAWholeNumberIsNotRepeatedIfTheFirstWasCarriedOut(boolean together) {
        LeaseProtocol protocol = protocolOfWholeNumbers(() -> Duration.ZERO, "", () -> {});
        Claim claim = held(protocol, Fixture.NAME);
        String number = redis.value();
        release(protocol, claim, together);
        redis.server.command("SET", Fixture.KEY, number);

        release(protocol, claim, together);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        assertThat(redis.value()).isEqualTo(number);
    }

    @Test
    void aReleaseByAWholeNumberIsRepeatedIfTheFirstWasNotCarriedOut() {
        LeaseProtocol protocol = protocolOfWholeNumbers(() -> Duration.ZERO, "transaction", () -> {
            throw new LockBackendException(Reason.REFUSED, "not now");
        });
        Claim claim = held(protocol, Fixture.NAME);
        assertThatThrownBy(() -> protocol.release(claim)).hasMessage("not now");

        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(redis.value()).isNull();
    }

    /** Others may have taken the lock over since, and written the same number. */
    @Test
    void aWholeNumberOfARenewalWithoutAReplyCountsOnlyUntilTheConfirmedOneHasPassed() {
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
        LeaseProtocol protocol = protocolOfWholeNumbers(ahead::get, "end of transaction", ProtocolTest::loseReply);
        Claim claim = held(protocol, Fixture.NAME);
        assertThat(renewed(protocol, claim.withLease(Duration.ofHours(1)))).isInstanceOf(Renewal.Failed.class);
        String number = redis.value();

        ahead.set(LEASE.plusMinutes(1));
        assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Lost.class);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        assertThat(redis.value()).isEqualTo(number);
    }

    @Test
    void aRenewalThatMeetsAReleaseByAWholeNumberKeepsNoOtherFromBeingSent() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocolOfWholeNumbers(
                () -> Duration.ZERO, "transaction", () -> other.get().run());
        Claim claim = held(protocol, Fixture.NAME);
        Claim second = held(protocol, "second");
        AtomicReference<List<Renewal>> renewals = new AtomicReference<>(List.of());
        other.set(() -> renewals.set(protocol.renew(List.of(claim, second))));
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);

        assertThat(renewals.get().get(0)).isInstanceOf(Renewal.Failed.class);
        assertThat(renewals.get().get(1)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aWholeNumberIsNotReleasedWhileItIsRenewed() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocolOfWholeNumbers(
                () -> Duration.ZERO, "transaction", () -> other.get().run());
        Claim claim = held(protocol, Fixture.NAME);
        other.set(() -> assertThatThrownBy(() -> protocol.release(claim.withTimeout(Duration.ofMillis(50))))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE)));
        assertThat(renewed(protocol, claim)).isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
    }

    private static Renewal renewed(LeaseProtocol protocol, Claim claim) {
        return protocol.renew(List.of(claim)).get(0);
    }

    @Test
    void manyLocksAreReleasedByOneTransactionAndOthersAreNotTouched() {
        LeaseProtocol protocol = protocol("client");
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            claims.add(held(protocol, "many-" + i));
        }
        redis.server.command("SET", "lock.many-7", "1795358110.5");
        held(protocol("client"), "others");
        try (CommandMonitor monitor = redis.server.monitor()) {
            protocol.releaseAll(claims);
            monitor.sync();
            assertThat(monitor.commands())
                    .extracting(command -> command.get(0).toUpperCase(Locale.ROOT))
                    .filteredOn(name -> !name.equals("GET") && !name.equals("DEL"))
                    .containsExactly("WATCH", "MULTI", "EXEC");
        }
        assertThat((List<?>) redis.server.command("KEYS", "*"))
                .map(String::valueOf)
                .containsExactlyInAnyOrder("lock.many-7", "lock.others");
        protocol.releaseAll(claims);
        assertThat(redis.server.command("GET", "lock.many-7")).isEqualTo("1795358110.5");
    }

    @Test
    void locksThatWereRenewedAreReleasedToo() {
        LeaseProtocol protocol = protocol("client");
        List<Claim> claims = List.of(held(protocol, "one"), held(protocol, "another"));
        protocol.renew(claims);
        protocol.releaseAll(claims);
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }
}
