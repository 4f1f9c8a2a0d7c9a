// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.Attempt;
import dev.interlock.engine.Claim;
import dev.interlock.engine.Environment;
import dev.interlock.engine.LeaseProtocol;
import dev.interlock.engine.Release;
import dev.interlock.engine.Renewal;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNodes;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the engine is told by the verbs, and for how long they wait. */
@Execution(ExecutionMode.CONCURRENT)
class ProtocolTest extends OnBothClients {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final List<LeaseProtocol> protocols = new ArrayList<>();

    @AfterEach
    void closeProtocols() {
        protocols.forEach(LeaseProtocol::close);
    }

    private LeaseProtocol protocol(String... options) {
        LockConfig.Builder builder =
                LockConfig.builder().endpoints(redis.server.uri()).commandTimeout(Fixture.PATIENCE);
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        LockConfig config = builder.build();
        Environment env = Environment.system();
        RedisNode node = client.equals("jedis")
                ? RedisNodes.jedis(config.endpoints().get(0), config, env)
                : RedisNodes.lettuce(config.endpoints().get(0), config, env);
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
}
