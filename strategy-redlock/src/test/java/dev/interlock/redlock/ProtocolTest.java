// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.Attempt;
import dev.interlock.engine.Claim;
import dev.interlock.engine.Environment;
import dev.interlock.engine.LeaseProtocol;
import dev.interlock.engine.Release;
import dev.interlock.engine.Renewal;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the engine is told by the verbs, and for how long they wait. */
class ProtocolTest {
    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    /** A protocol that is connected to all servers. */
    private LeaseProtocol protocol() {
        return protocol("10s");
    }

    private LeaseProtocol protocol(String nodeTimeout) {
        LeaseProtocol protocol = redis.protocol(
                config -> Fixture.trusting(config).option("node-timeout", nodeTimeout),
                Environment.system(),
                (index, node) -> node,
                Fixture.reports());
        await().atMost(Fixture.PATIENCE).until(() -> {
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
        LeaseProtocol protocol = protocol("500ms");
        set("seen-by-one", "one", "another", "one");
        set("seen-by-two", "one", "one", "one");
        redis.servers.get(2).pause();
        assertThat(protocol.isLocked("seen-by-two")).isTrue();
        assertThat(protocol.isLocked("seen-by-one")).isFalse();
        redis.servers.get(1).pause();
        assertThatThrownBy(() -> protocol.isLocked("seen-by-two")).isInstanceOf(LockBackendException.class);
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
        LeaseProtocol protocol = protocol("10m");
        Claim claim = held(protocol, "slow").withTimeout(Duration.ofMillis(50));
        redis.servers.forEach(RedisServer::pause);
        // With the time for one server they would wait for longer than the test may take.
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
}
