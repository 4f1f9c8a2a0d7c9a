// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The outcomes of the protocol's methods, and the time for which they block. */
@Execution(ExecutionMode.CONCURRENT)
class ProtocolTest extends OnChosenClients {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final List<LeaseProtocol> protocols = new ArrayList<>();

    @AfterEach
    void closeProtocols() {
        protocols.forEach(LeaseProtocol::close);
    }

    private LeaseProtocol protocol(String... options) {
        LockConfig.Builder builder =
                LockConfig.builder().endpoints(redis.server.uri()).commandTimeout(Fixture.PATIENCE);
        // It would come between the commands that a test counts.
        builder.option("card", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        LockConfig config = builder.build();
        Environment env = Environment.system();
        RedisNode node = client.equals("interlock")
                ? RedisNodes.interlock(RedisEndpoint.of(config.endpoints().get(0)), config, env)
                : RedisNodes.lettuce(RedisEndpoint.of(config.endpoints().get(0)), config, env);
        LeaseProtocol protocol = new SetNxPxProtocol(node, Settings.of(config), config, env);
        protocols.add(protocol);
        return protocol;
    }

    private static Claim claim(String name) {
        return new Claim(name, Environment.system().newToken(), LEASE, Fixture.PATIENCE, 1);
    }

    private static Claim held(LeaseProtocol protocol, String name) {
        Claim claim = claim(name);
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        return claim;
    }

    @Test
    void aRenewalNeverBringsTheEndNearer() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, "mine");
        protocol.renew(List.of(claim.withLease(Duration.ofHours(1))));
        assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        assertThat(protocol().attempt(waiting("mine")))
                .isInstanceOfSatisfying(
                        Attempt.Refused.class,
                        refused -> assertThat(refused.retryAfter())
                                .hasValueSatisfying(left -> assertThat(left).isGreaterThan(Duration.ofMinutes(50))));
    }

    @Test
    void aLockIsLockedWhileAnybodyHoldsIt() {
        LeaseProtocol protocol = protocol();
        assertThat(protocol.isLocked("mine")).isFalse();
        Claim claim = held(protocol, "mine");
        redis.holdElsewhere("theirs");
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(protocol.isLocked("mine")).isTrue();
            assertThat(protocol.isLocked("theirs")).isTrue();
            assertThat(protocol.isLocked("free")).isFalse();
            monitor.sync();
            assertThat(monitor.commands())
                    .hasSize(3)
                    .allSatisfy(it -> assertThat(it.get(0)).isEqualToIgnoringCase("EXISTS"));
        }
        protocol.release(claim);
        assertThat(protocol.isLocked("mine")).isFalse();
    }

    @Test
    void aReleaseTellsWhyTheLockWasNotHeldAnyMore() {
        for (String release : List.of("script", "transaction")) {
            LeaseProtocol protocol =
                    release.equals("script") ? protocol() : protocol("release", "transaction", "fencing", "false");
            Claim claim = held(protocol, "lost");
            assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
            assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.GONE));
            redis.holdElsewhere("lost");
            assertThat(protocol.release(claim)).isEqualTo(new Release.Lost(LossCause.TAKEN));
            redis.server.command("DEL", Fixture.key("lost"));
        }
    }

    @Test
    void requestsWaitForAnswersOnlyAsLongAsTheClaimSays() {
        LeaseProtocol protocol = protocol();
        Claim claim = held(protocol, "slow").withTimeout(Duration.ofMillis(50));
        redis.server.pause();
        // With the command time-out they would wait for longer than the test may take.
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Failed.class);
        assertThat(protocol.renew(List.of(claim))).hasOnlyElementsOfType(Renewal.Failed.class);
        assertThatThrownBy(() -> protocol.release(claim)).isInstanceOf(LockBackendException.class);
        redis.server.resume();
    }

    /** Returns when the server knows that this client listens. */
    private static void listen(LeaseProtocol protocol, String name) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        protocol.watch(name, begun::countDown);
        assertThat(begun.await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static Release released(LeaseProtocol protocol, String name) {
        return protocol.release(held(protocol, name));
    }

    @Test
    void aReleaseKnowsWhetherAnotherClientListens() throws Exception {
        LeaseProtocol protocol = protocol("wakeup", "pubsub");
        LeaseProtocol other = protocol("wakeup", "pubsub");
        assertThat(released(protocol, "heard")).isEqualTo(new Release.Freed(false));
        listen(protocol, "heard");
        Claim claim = held(protocol, "heard");
        redis.mark("heard");
        assertThat(protocol.release(claim)).as("it listens itself").isEqualTo(new Release.Freed(false));
        listen(other, "heard");
        assertThat(released(protocol, "heard")).as("nobody was refused").isEqualTo(new Release.Freed(false));
        claim = held(protocol, "heard");
        assertThat(other.attempt(waiting("heard"))).isInstanceOf(Attempt.Refused.class);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(true));
        assertThat(released(protocol, "unheard")).isEqualTo(new Release.Freed(false));
    }

    @Test
    void aReleaseKnowsWhetherAnotherClientIsInTheQueue() throws Exception {
        LeaseProtocol protocol = protocol();
        LeaseProtocol other = protocol();
        assertThat(released(protocol, "queued")).isEqualTo(new Release.Freed(false));
        Claim claim = held(protocol, "queued");
        listen(other, "queued");
        assertThat(other.attempt(waiting("queued"))).isInstanceOf(Attempt.Refused.class);
        redis.awaitWaiters("queued", 1);
        assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(true));
    }

    private static Claim waiting(String name) {
        return new Claim(
                name, new OwnerToken(Environment.system().newToken()), LEASE, Fixture.PATIENCE, 1, 1, true, true);
    }

    @Test
    void aReleaseKnowsWhetherAnybodyWasRefusedWhoPolls() {
        for (LeaseProtocol holder :
                List.of(protocol("wakeup", "poll"), protocol("release", "transaction", "fencing", "false"))) {
            for (LeaseProtocol waiter : List.of(
                    protocol("wakeup", "poll"),
                    protocol("release", "transaction", "fencing", "false", "wakeup", "poll"))) {
                Claim claim = held(holder, "polled");
                assertThat(waiter.attempt(claim("polled"))).isInstanceOf(Attempt.Refused.class);
                assertThat(holder.release(claim)).as("one asks once").isEqualTo(new Release.Freed(false));
                claim = held(holder, "polled");
                assertThat(waiter.attempt(waiting("polled"))).isInstanceOf(Attempt.Refused.class);
                assertThat(holder.release(claim)).isEqualTo(new Release.Freed(true));
            }
        }
    }

    @Test
    void manyLocksAreReleasedByOneRequestAndOthersAreNotTouched() throws Exception {
        LeaseProtocol protocol = protocol();
        protocol.releaseAll(List.of(held(protocol, "to-know-the-script")));
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            claims.add(held(protocol, "many-" + i));
        }
        redis.holdElsewhere("many-7");
        LeaseProtocol other = protocol();
        held(other, "others");
        listen(other, "many-3");
        assertThat(other.attempt(waiting("many-3"))).isInstanceOf(Attempt.Refused.class);
        redis.awaitWaiters("many-3", 1);
        String before = (String) redis.server.command("GET", Fixture.key("many-3"));
        try (CommandMonitor monitor = redis.server.monitor()) {
            protocol.releaseAll(claims);
            monitor.sync();
            assertThat(monitor.commands()).hasSize(1);
        }
        List<String> taken =
                claims.stream().map(Claim::name).filter(redis::isTaken).toList();
        assertThat(taken).as("one was lost, and one was granted to a waiter").containsExactly("many-3", "many-7");
        assertThat(redis.server.command("GET", Fixture.key("many-3"))).isNotEqualTo(before);
        assertThat(redis.server.command("GET", Fixture.key("many-7"))).isEqualTo("somebody-else");
        assertThat(redis.isTaken("others")).isTrue();
    }

    @Test
    void withoutScriptsManyLocksAreReleasedToo() {
        LeaseProtocol protocol = protocol("release", "transaction", "fencing", "false");
        List<Claim> claims = List.of(held(protocol, "one"), held(protocol, "another"));
        redis.holdElsewhere("another");
        protocol.releaseAll(claims);
        assertThat(redis.isTaken("one")).isFalse();
        assertThat(redis.isTaken("another")).isTrue();
    }
}
