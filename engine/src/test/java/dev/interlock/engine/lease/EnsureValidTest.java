// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.EngineTest;
import dev.interlock.engine.InMemoryProtocol.Verb;
import dev.interlock.engine.Person.Call;
import dev.interlock.engine.RequestFault;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests of ensureValid(). */
class EnsureValidTest extends EngineTest {
    private final Jvm one = jvm();

    private LockHandle acquired(UnaryOperator<LockOptions.Builder> options) {
        LockOptions built =
                options.apply(LockOptions.builder().lease(LEASE).renewal(false)).build();
        return ann.asks(one.lock(built)::acquire).value();
    }

    private Call<Void> ensure(Lease lease, long seconds) {
        return bob.does(() -> lease.ensureValid(seconds(seconds)));
    }

    @Test
    void whatSufficesCostsNoRequest() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        ensure(lease, 20).value();
        ensure(lease, 0).value();
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
        ann.does(lease::close).value();
    }

    @Test
    void whatDoesNotSufficeIsRenewedEvenWithoutRenewal() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        ensure(lease, 21).value();
        assertThat(lease.remaining()).isEqualTo(LEASE);
        assertThat(one.protocol().calls(Verb.RENEW)).isOne();
        env.advance(seconds(29));
        assertThat(lease.isValid()).as("the timer has learned of it").isTrue();
        ann.does(lease::close).value();
    }

    @Test
    void itConfirmsALeaseThatTheWallClockDoubts() {
        LockHandle lease = acquired(options -> options);
        env.suspend(seconds(100));
        assertThat(lease.isValid()).isFalse();
        ensure(lease, 1).value();
        assertThat(lease.isValid()).isTrue();
        ann.does(lease::close).value();
    }

    @Test
    void badArgumentsAreRefusedWithoutARequest() {
        LockHandle lease = acquired(options -> options);
        assertThat(ensure(lease, -1).failure()).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(bob.does(() -> lease.ensureValid(null)).failure()).isInstanceOf(NullPointerException.class);
        assertThat(one.protocol().calls(Verb.RENEW)).isZero();
        ann.does(lease::close).value();
    }

    @Test
    void aLeaseIsExtendedBeyondItsLengthAndStaysSo() {
        LockHandle lease = acquired(options -> options.renewal(true));
        ensure(lease, 60).value();
        assertThat(lease.remaining()).isGreaterThanOrEqualTo(seconds(60));
        env.advance(seconds(25));
        assertThat(one.protocol().calls(Verb.RENEW)).as("renewed as ever").isGreaterThan(1);
        assertThat(lease.remaining()).isGreaterThanOrEqualTo(seconds(35)).isLessThanOrEqualTo(server.ttl(NAME));
        ann.does(lease::close).value();
    }

    @Test
    void theWholeLeaseCanBeEnsuredWhateverTheStrategyTakesOffIt() {
        server.allowance = millis(302);
        LockHandle lease = acquired(options -> options);
        ensure(lease, 30).value();
        assertThat(lease.remaining()).isGreaterThanOrEqualTo(seconds(30)).isLessThanOrEqualTo(server.ttl(NAME));
        ann.does(lease::close).value();
    }

    @Test
    void maxHoldIsNotExceeded() {
        LockHandle lease = acquired(options -> options.maxHold(seconds(40)));
        env.advance(seconds(20));
        ensure(lease, 20).value();
        assertThat(lease.remaining()).isEqualTo(seconds(20));
        env.advance(seconds(1));
        assertThat(ensure(lease, 20).failure())
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxHold");
        assertThat(lease.isValid()).isTrue();
        assertThat(one.protocol().calls(Verb.RENEW)).isOne();
        ann.does(lease::close).value();
    }

    @Test
    void aFailureLeavesTheLeaseAsItWas() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        one.protocol().next(Verb.RENEW, RequestFault.unreachable(), RequestFault.exception(), RequestFault.error());
        for (int i = 0; i < 3; i++) {
            assertThat(ensure(lease, 25).failure()).isInstanceOf(LockBackendException.class);
        }
        assertThat(lease.remaining()).isEqualTo(seconds(20));
        ensure(lease, 25).value();
        ann.does(lease::close).value();
    }

    @Test
    void aLossIsTold() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        server.steal(NAME, seconds(2));
        assertThat(ensure(lease, 25).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(lease.isValid()).isFalse();
        assertThat(ensure(lease, 25).failure()).isInstanceOf(LeaseLostException.class);
        assertThat(ann.does(lease::close).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anAnswerAfterTheEndIsALoss() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        one.protocol().next(Verb.RENEW, RequestFault.slowReply(seconds(21)));
        Call<Void> call = ensure(lease, 25);
        env.advance(seconds(21));
        assertThat(call.failure()).isInstanceOf(LeaseLostException.class);
        env.settle();
        assertThat(server.isFree(NAME)).isTrue();
        assertThat(ann.does(lease::close).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseThatWasGivenUpCannotBeEnsured() {
        LockHandle lease = acquired(options -> options);
        ann.does(lease::close).value();
        assertThat(ensure(lease, 1).failure()).isExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void aLeaseThatIsGivenUpMeanwhileCannotBeEnsured() {
        LockHandle lease = acquired(options -> options);
        Call<LockHandle> next = cleo.asks(one.lock()::acquire);
        env.advance(seconds(10));
        one.protocol().next(Verb.RENEW, RequestFault.slowRequest(seconds(1)));
        Call<Void> call = ensure(lease, 25);
        ann.does(lease::close).value();
        env.advance(seconds(1));
        assertThat(call.failure()).isExactlyInstanceOf(IllegalStateException.class);
        assertThat(next.value().remaining()).isLessThanOrEqualTo(server.ttl(NAME));
        cleo.does(next.value()::close).value();
    }

    @Test
    void aGrantIsNotHandedOverWhileAnotherRenewalIsOnItsWay() {
        LockHandle lease = ann.asks(one.lock()::acquire).value();
        Call<LockHandle> next = cleo.asks(one.lock()::acquire);
        one.protocol().next(Verb.RENEW, RequestFault.slowRequest(seconds(2)));
        env.advance(seconds(11));
        ensure(lease, 25).value();
        ann.does(lease::close).value();
        assertThat(one.protocol().calls(Verb.RELEASE)).isOne();
        env.advance(seconds(2));
        cleo.does(next.value()::close).value();
    }

    @Test
    void interruptsAreIgnoredAndPreserved() {
        LockHandle lease = acquired(options -> options);
        env.advance(seconds(10));
        Call<Void> call = bob.does(() -> {
            Thread.currentThread().interrupt();
            lease.ensureValid(seconds(25));
        });
        call.value();
        assertThat(call.interruptedAfter()).isTrue();
        ann.does(lease::close).value();
    }

    @Test
    void anExtendedLeaseOfASuspendedMachineIsBelievedNoLongerThanTheServerKeepsIt() {
        server.clock = () -> TimeUnit.MILLISECONDS.toNanos(env.currentTimeMillis());
        LockHandle lease = acquired(options -> options.renewal(true));
        ensure(lease, 120).value();
        env.advance(seconds(1));
        env.suspend(seconds(100));
        assertThat(lease.remaining()).isLessThanOrEqualTo(server.ttl(NAME));
        for (int i = 0; i < 130; i++) {
            env.advance(seconds(1));
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isLessThanOrEqualTo(server.ttl(NAME));
        }
        ann.does(lease::close).value();
    }

    @Test
    void noTwoHoldersAreValidAfterTheSuspensionOfAMachineWithAnExtendedLease() {
        server.clock = () -> TimeUnit.MILLISECONDS.toNanos(env.currentTimeMillis());
        Jvm two = jvm();
        ann.does(one.lock()::lock).value();
        Lease lease = ann.asks(one.lock()::lease).value().orElseThrow();
        ensure(lease, 120).value();
        env.advance(seconds(1));
        env.suspend(seconds(100));
        env.advance(seconds(10));
        one.protocol().all(RequestFault.unreachable());
        env.advance(seconds(31));
        assertThat(cleo.asks(two.lock()::tryLock).value()).isTrue();
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.asks(one.lock()::isHeldByCurrentThread).value()).isFalse();
        one.protocol().heal();
        assertThat(ann.does(one.lock()::unlock).failure()).isInstanceOf(LeaseLostException.class);
        cleo.does(two.lock()::unlock).value();
    }

    @Test
    void aWallClockThatIsSetBackDoesNotMakeUpForALaterSuspension() {
        server.clock = () -> TimeUnit.MILLISECONDS.toNanos(env.currentTimeMillis() + 3_600_000);
        LockHandle lease = acquired(options -> options.renewal(true));
        ensure(lease, 120).value();
        server.clock = () -> TimeUnit.MILLISECONDS.toNanos(env.currentTimeMillis() + 7_200_000);
        env.stepWall(Duration.ofHours(-1));
        env.advance(seconds(11));
        env.suspend(seconds(200));
        assertThat(lease.isValid()).isFalse();
        env.advance(seconds(60));
        assertThat(ann.does(lease::close).failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anExtendedShortLeaseIsNotRenewedMoreOften() {
        ann.does(() -> {
            for (int i = 0; i < 50; i++) {
                one.engine().getLock("lock " + i, lease(millis(1_500))).lock();
                env.park(this, millis(9).toNanos());
            }
            DistributedLock shorter = one.engine().getLock("short", lease(millis(300)));
            shorter.lock();
            shorter.lease().orElseThrow().ensureValid(seconds(60));
        });
        env.advance(millis(450));
        int before = one.protocol().renewed().size();
        env.advance(seconds(3));
        long renewals = one.protocol().renewed().stream()
                .skip(before)
                .filter(claim -> claim.name().equals("short"))
                .count();
        assertThat(renewals).isBetween(28L, 36L);
        ann.does(() -> {
                    for (int i = 0; i < 50; i++) {
                        one.engine().getLock("lock " + i).unlock();
                    }
                    one.engine().getLock("short").unlock();
                })
                .value();
    }

    @Test
    void aStrategyThatTakesTimeOffTheLeaseIsNoReasonToReportASlowAnswerWhereMaxHoldEndsTheLock() {
        server.allowance = millis(302);
        LockHandle lease = acquired(options -> options.maxHold(seconds(40)));
        env.advance(seconds(20));
        assertThat(ensure(lease, 20).failure())
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxHold");
        assertThat(lease.isValid()).isTrue();
        ann.does(lease::close).value();
    }
}
