// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many leases are renewed by one transaction, and each has the outcome that it would have alone. */
class RenewalBatchTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration LONGER = Duration.ofHours(1);

    private final Fixture redis = new Fixture();
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    @AfterEach
    void stop() {
        redis.close();
    }

    private LeaseProtocol protocol(String... options) {
        return protocol("", () -> {}, options);
    }

    /** A protocol that does something else once before a step, by which that may fail. */
    private LeaseProtocol protocol(String step, Runnable meddling, String... options) {
        return redis.protocol(
                config -> {
                    for (int i = 0; i < options.length; i += 2) {
                        config.option(options[i], options[i + 1]);
                    }
                    return config;
                },
                ahead::get,
                node -> new MeddlingNode(node, step, meddling));
    }

    private static List<Claim> held(LeaseProtocol protocol, int count) {
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Claim claim = new Claim("n" + i, Environment.system().newToken(), LEASE, Fixture.PATIENCE, 1);
            assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
            claims.add(claim);
        }
        return claims;
    }

    private static List<Claim> longer(List<Claim> claims) {
        return claims.stream().map(claim -> claim.withLease(LONGER)).toList();
    }

    private String value(int i) {
        return (String) redis.server.command("GET", "lock.n" + i);
    }

    private static List<String> names(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream().map(command -> command.get(0)).toList();
    }

    @ParameterizedTest
    @CsvSource({"client, true", "client, false", "server, true", "observed, true"})
    void manyLeasesAreRenewedByOneTransaction(String clock, String fraction) {
        LeaseProtocol protocol = protocol("clock", clock, "fraction", fraction);
        List<Claim> claims = held(protocol, 100);
        List<String> before = IntStream.range(0, 100).mapToObj(this::value).toList();
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(protocol.renew(longer(claims))).hasSize(100).hasOnlyElementsOfType(Renewal.Renewed.class);
            List<String> sent = names(monitor);
            assertThat(sent)
                    .filteredOn(name -> !name.equals("GET") && !name.equals("GETSET"))
                    .containsExactly(
                            clock.equals("server")
                                    ? new String[] {"TIME", "WATCH", "MULTI", "EXEC"}
                                    : new String[] {"WATCH", "MULTI", "EXEC"});
            assertThat(sent).filteredOn("GET"::equals).hasSize(100);
            assertThat(sent).filteredOn("GETSET"::equals).hasSize(100);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(value(i)).isGreaterThan(before.get(i));
        }
        assertThat(protocol.renew(claims)).as("once more").hasOnlyElementsOfType(Renewal.Renewed.class);
        for (Claim claim : claims) {
            assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        }
    }

    @Test
    void aBatchIsOfBoundedSize() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 600);
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(protocol.renew(longer(claims))).hasSize(600).hasOnlyElementsOfType(Renewal.Renewed.class);
            assertThat(names(monitor)).filteredOn("EXEC"::equals).hasSize(3);
        }
    }

    @Test
    void whatIsLostIsToldInItsPlaceAndTheOthersAreRenewed() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 6);
        String theirs = Long.toString(System.currentTimeMillis() / 1000 + 1000);
        redis.server.command("DEL", "lock.n1");
        redis.server.command("SET", "lock.n3", theirs);
        redis.server.command("SET", "lock.n4", "something else");
        redis.server.command("DEL", "lock.n5");
        redis.server.command("LPUSH", "lock.n5", "x");

        List<Renewal> renewals = protocol.renew(longer(claims));

        assertThat(renewals.get(1)).isEqualTo(new Renewal.Lost(LossCause.GONE));
        assertThat(renewals.get(3)).isEqualTo(new Renewal.Lost(LossCause.TAKEN));
        assertThat(renewals.get(4)).isEqualTo(new Renewal.Lost(LossCause.TAKEN));
        assertThat(renewals.get(5)).isEqualTo(new Renewal.Lost(LossCause.TAKEN));
        assertThat(List.of(renewals.get(0), renewals.get(2))).hasOnlyElementsOfType(Renewal.Renewed.class);
        assertThat(value(1)).isNull();
        assertThat(value(3)).isEqualTo(theirs);
        assertThat(value(4)).isEqualTo("something else");
    }

    @Test
    void aLeaseThatHasPassedIsNotWrittenAgain() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 2);
        protocol.renew(longer(claims.subList(0, 1)));
        String passed = value(1);
        ahead.set(LEASE.plusMinutes(1));

        List<Renewal> renewals = protocol.renew(claims);

        assertThat(renewals.get(0)).isInstanceOf(Renewal.Renewed.class);
        assertThat(renewals.get(1)).isEqualTo(new Renewal.Lost(LossCause.GONE));
        assertThat(value(1)).isEqualTo(passed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "observed"})
    void noEndIsBroughtNearer(String clock) {
        LeaseProtocol protocol = protocol("clock", clock);
        List<Claim> claims = held(protocol, 3);
        protocol.renew(longer(claims));
        assertThat(protocol.renew(claims)).hasOnlyElementsOfType(Renewal.Renewed.class);
        for (int i = 0; i < 3; i++) {
            Timestamp written = new TimestampFormat(true, true).read(value(i)).orElseThrow();
            assertThat(written.lease().orElseThrow()).isGreaterThan(Duration.ofMinutes(50));
        }
    }

    @Test
    void aLeaseThatAnotherRenewalOvertakesIsRenewedByItself() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol("batch", () -> other.get().run());
        List<Claim> claims = held(protocol, 3);
        other.set(() ->
                assertThat(protocol.renew(longer(claims.subList(1, 2)))).hasOnlyElementsOfType(Renewal.Renewed.class));

        assertThat(protocol.renew(claims)).hasSize(3).hasOnlyElementsOfType(Renewal.Renewed.class);
        for (Claim claim : claims) {
            assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        }
    }

    /** The batch is told of its success only after the other renewal has replaced what the batch wrote. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void aLeaseThatAnotherRenewalMovesOnBeforeTheReplyComesIsStillHeld(String fraction) {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol("end of batch", () -> other.get().run(), "fraction", fraction);
        List<Claim> claims = held(protocol, 3);
        other.set(() ->
                assertThat(protocol.renew(longer(claims.subList(1, 2)))).hasOnlyElementsOfType(Renewal.Renewed.class));

        assertThat(protocol.renew(claims)).hasSize(3).hasOnlyElementsOfType(Renewal.Renewed.class);
        ahead.set(LEASE.plusMinutes(1));
        assertThat(protocol.renew(claims.subList(1, 2)))
                .as("by the later end")
                .hasOnlyElementsOfType(Renewal.Renewed.class);
        assertThat(protocol.release(claims.get(1))).isInstanceOf(Release.Freed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void whatMayHaveBeenWrittenIsKnownToTheNextRenewal(String fraction) {
        LeaseProtocol protocol = protocol(
                "end of batch",
                () -> {
                    throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the reply is lost");
                },
                "fraction",
                fraction);
        List<Claim> claims = held(protocol, 3);

        assertThat(protocol.renew(longer(claims)))
                .hasSize(3)
                .allSatisfy(renewal ->
                        assertThat(((Renewal.Failed) renewal).cause().reason()).isEqualTo(Reason.OUTCOME_UNKNOWN));
        assertThat(protocol.renew(longer(claims))).hasSize(3).hasOnlyElementsOfType(Renewal.Renewed.class);
    }

    @Test
    void whatWasCertainlyNotWrittenIsNotLookedFor() {
        LeaseProtocol protocol = protocol("batch", () -> {
            throw new LockBackendException(Reason.OUTCOME_UNKNOWN, "the request is lost");
        });
        List<Claim> claims = held(protocol, 3);
        assertThat(protocol.renew(longer(claims))).hasOnlyElementsOfType(Renewal.Failed.class);
        assertThat(protocol.renew(longer(claims))).hasSize(3).hasOnlyElementsOfType(Renewal.Renewed.class);

        LeaseProtocol refused = protocol("batch", () -> {
            throw new LockBackendException(Reason.REFUSED, "not now");
        });
        redis.server.command("FLUSHALL");
        List<Claim> again = held(refused, 3);
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(refused.renew(longer(again))).hasSize(3).hasOnlyElementsOfType(Renewal.Renewed.class);
            assertThat(names(monitor)).filteredOn("EXEC"::equals).hasSize(3);
        }
    }

    @Test
    void aLeaseThatIsRefusedFailsAlone() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 4);
        redis.server.command("ACL", "SETUSER", "default", "resetkeys", "~lock.n0", "~lock.n1", "~lock.n3");

        List<Renewal> renewals = protocol.renew(longer(claims));

        assertThat(renewals.get(2))
                .isInstanceOfSatisfying(
                        Renewal.Failed.class,
                        it -> assertThat(it.cause().reason()).isEqualTo(Reason.REFUSED));
        assertThat(List.of(renewals.get(0), renewals.get(1), renewals.get(3)))
                .hasOnlyElementsOfType(Renewal.Renewed.class);
    }

    @Test
    void leasesAreRenewedWhereMemoryIsFull() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 5);
        redis.server.command("DEL", "lock.n2");
        redis.server.command("CONFIG", "SET", "maxmemory", "1");

        List<Renewal> renewals = protocol.renew(longer(claims));

        assertThat(renewals.get(2)).isEqualTo(new Renewal.Lost(LossCause.GONE));
        assertThat(List.of(renewals.get(0), renewals.get(1), renewals.get(3), renewals.get(4)))
                .hasOnlyElementsOfType(Renewal.Renewed.class);
        assertThat(value(4)).contains("003600000");
    }

    @Test
    void aLeaseThatIsBeingReleasedFailsAlone() {
        AtomicReference<Runnable> other = new AtomicReference<>(() -> {});
        LeaseProtocol protocol = protocol("transaction", () -> other.get().run(), "fraction", "false");
        List<Claim> claims = held(protocol, 3);
        AtomicReference<List<Renewal>> renewals = new AtomicReference<>(List.of());
        other.set(() -> renewals.set(protocol.renew(longer(claims))));

        assertThat(protocol.release(claims.get(1))).isInstanceOf(Release.Freed.class);

        assertThat(renewals.get().get(0)).isInstanceOf(Renewal.Renewed.class);
        assertThat(renewals.get().get(1)).isInstanceOf(Renewal.Failed.class);
        assertThat(renewals.get().get(2)).isInstanceOf(Renewal.Renewed.class);
        assertThat(value(1)).isNull();
    }

    /** The holder that lost the lock and the one that took it over may be threads of one program. */
    @Test
    void twoClaimsToOneLockHaveTheirOwnOutcomes() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 2);
        Claim second = new Claim("n0", Environment.system().newToken(), LEASE, Fixture.PATIENCE, 1);
        redis.server.command("DEL", "lock.n0");
        assertThat(protocol.attempt(second)).isInstanceOf(Attempt.Granted.class);

        List<Renewal> renewals = protocol.renew(longer(List.of(claims.get(0), second, claims.get(1))));

        assertThat(renewals.get(0)).isEqualTo(new Renewal.Lost(LossCause.TAKEN));
        assertThat(renewals.get(1)).isInstanceOf(Renewal.Renewed.class);
        assertThat(renewals.get(2)).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void aServerThatDoesNotAnswerFailsAllInOneTimeOut() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = held(protocol, 300).stream()
                .map(claim -> claim.withTimeout(Duration.ofMillis(100)))
                .toList();
        // So that renewals have a connection, which they do not share with acquisitions.
        assertThat(protocol.renew(claims.subList(0, 2))).hasSize(2);
        redis.server.pause();
        try {
            // With a time-out for each of them, it would be longer than the test may take.
            assertThat(protocol.renew(longer(claims)))
                    .hasSize(300)
                    .allSatisfy(renewal -> assertThat(
                                    ((Renewal.Failed) renewal).cause().reason())
                            .isIn(Reason.UNREACHABLE, Reason.OUTCOME_UNKNOWN));
        } finally {
            redis.server.resume();
        }
    }
}
