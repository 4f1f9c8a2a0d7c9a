// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

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
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The results of the protocol's verbs, and how long they wait. */
class ProtocolTest {
    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    /** A protocol that is connected to all servers, and asks all of them. */
    private LeaseProtocol protocol() {
        return protocol(redis::unshed);
    }

    private LeaseProtocol protocol(String nodeTimeout, Duration commandTimeout) {
        return protocol(config ->
                Fixture.trusting(config).commandTimeout(commandTimeout).option("node-timeout", nodeTimeout));
    }

    private LeaseProtocol protocol(UnaryOperator<LockConfig.Builder> settings) {
        LeaseProtocol protocol =
                redis.protocol(settings, Environment.system(), (index, node) -> node, Fixture.reports());
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    Claim claim = Fixture.claim("to-connect");
                    protocol.attempt(claim);
                    boolean everywhere = redis.takenOn("to-connect").size() == 3;
                    protocol.release(claim);
                    return everywhere;
                });
        return protocol;
    }

    private static Claim held(LeaseProtocol protocol, String name) {
        Claim claim = Fixture.claim(name);
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        return claim;
    }

    private void set(String name, String... tokens) {
        for (int i = 0; i < tokens.length; i++) {
            redis.servers.get(i).command("SET", Fixture.key(name), tokens[i]);
        }
    }

    @Test
    void aRenewalNeverBringsTheEndNearer() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, "mine");
        protocol.renew(List.of(claim.withLease(Duration.ofHours(1))));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(redis.servers)
                .filteredOn(server -> (Long) server.command("PTTL", Fixture.key("mine"))
                        > Duration.ofMinutes(50).toMillis())
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aLockIsLockedWhileAMajorityHasOneAndTheSameHolder() {
        LeaseProtocol protocol = protocol();
        assertThat(protocol.isLocked("mine")).isFalse();
        Claim claim = held(protocol, "mine");
        assertThat(protocol.isLocked("mine")).isTrue();
        protocol.release(claim);
        assertThat(protocol.isLocked("mine")).isFalse();

        set("two-of-three", "one", "one");
        assertThat(protocol.isLocked("two-of-three")).isTrue();
        set("one-of-three", "one");
        assertThat(protocol.isLocked("one-of-three")).isFalse();
        set("split-vote", "one", "another", "a third");
        assertThat(protocol.isLocked("split-vote")).isFalse();
    }

    @Test
    void serversThatDoNotAnswerCountAsFreeAsLongAsAMajorityDoes() {
        LeaseProtocol protocol = protocol("500ms", Duration.ofSeconds(20));
        LeaseProtocol impatient = protocol("500ms", Duration.ofSeconds(2));
        set("seen-by-one", "one", "another", "one");
        set("seen-by-two", "one", "one", "one");
        redis.servers.get(2).pause();
        assertThat(protocol.isLocked("seen-by-two")).isTrue();
        assertThat(protocol.isLocked("seen-by-one")).isFalse();
        redis.servers.get(1).pause();
        assertThatThrownBy(() -> impatient.isLocked("seen-by-two")).isInstanceOf(LockBackendException.class);
        redis.servers.forEach(RedisServer::resume);
    }

    @Test
    void aReleaseTellsWhyTheLockWasNotHeldAnyMore() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, "lost");
        assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        await().atMost(Fixture.PATIENCE).until(() -> redis.takenOn("lost").isEmpty());
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
        redis.holdElsewhere("lost", 0, 1, 2);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.TAKEN));
    }

    @Test
    void requestsWaitForAnswersOnlyAsLongAsTheClaimSays() {
        LeaseProtocol protocol = protocol("10m", Duration.ofMinutes(10));
        Claim claim = held(protocol, "slow").withTimeout(Duration.ofMillis(50));
        redis.servers.forEach(RedisServer::pause);
        // With the time-out of one server they would wait longer than the test may take.
        assertThat(protocol.renew(List.of(claim)).get(0)).isInstanceOf(Renewal.Failed.class);
        assertThatThrownBy(() -> protocol.release(claim)).isInstanceOf(LockBackendException.class);
        assertThat(protocol.attempt(Fixture.claim("other").withTimeout(Duration.ofMillis(50))))
                .isInstanceOf(Attempt.Failed.class);
        redis.servers.forEach(RedisServer::resume);
    }

    @Test
    void aFirstConnectionIsAwaitedOnlyAsLongAsTheClaimSays() {
        redis.servers.forEach(RedisServer::pause);
        LeaseProtocol protocol = redis.protocol(
                config -> Fixture.trusting(config).commandTimeout(Duration.ofHours(1)),
                Environment.system(),
                (index, node) -> node,
                Fixture.reports());
        Claim claim = Fixture.claim("slow").withTimeout(Duration.ofMillis(50));
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Failed.class);
        redis.servers.forEach(RedisServer::resume);
    }

    @Test
    void aReleaseKnowsThatNobodyWaits() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, "unheard");
        redis.awaitTakenOn("unheard", 0, 1, 2);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(false));
    }

    @Test
    void manyLocksAreReleasedByOneRequestToEachServerAndOthersAreNotTouched() {
        LeaseProtocol protocol = protocol();
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            claims.add(held(protocol, "many-" + i));
        }
        held(protocol, "others");
        awaitLocks(201);
        redis.holdElsewhere("many-7", 0, 1, 2);
        List<CommandMonitor> monitors =
                redis.servers.stream().map(RedisServer::monitor).toList();
        protocol.releaseAll(claims);
        awaitLocks(2);
        assertThat(redis.takenOn("many-7")).containsExactly(0, 1, 2);
        assertThat(redis.takenOn("others")).containsExactly(0, 1, 2);
        for (CommandMonitor monitor : monitors) {
            monitor.sync();
            assertThat(monitor.commands())
                    .filteredOn(
                            command -> command.get(0).toUpperCase(Locale.ROOT).startsWith("EVAL"))
                    .hasSize(1);
            monitor.close();
        }
    }

    /** Waits until each server holds this many locks. */
    private void awaitLocks(int count) {
        await().atMost(Fixture.PATIENCE).until(() -> redis.servers.stream().allMatch(server -> locks(server) == count));
    }

    private static long locks(RedisServer server) {
        return ((List<?>) server.command("KEYS", "interlock:{*}")).size();
    }
}
