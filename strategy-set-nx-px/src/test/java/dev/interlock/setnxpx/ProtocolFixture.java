// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.setnxpx.intercept.InterposedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Gives each test a server, and clients of it whose requests the test puts in an order. */
abstract class ProtocolFixture {
    static final Duration LEASE = Duration.ofMinutes(5);
    static final String NAME = "mine";
    static final String KEY = Fixture.key(NAME);

    private final List<LeaseProtocol> protocols = new ArrayList<>();
    private final Map<LeaseProtocol, InterposedNode> nodes = new HashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        protocols.forEach(LeaseProtocol::close);
        redis.close();
    }

    LeaseProtocol protocol(String... options) {
        return protocol(Environment.system(), options);
    }

    /** A client that draws tokens by counting, and goes on to do so as long as its connections are the same. */
    LeaseProtocol counting(String... options) {
        LeaseProtocol protocol = protocol(new TimelessEnvironment(), options);
        listen(protocol);
        prove(protocol);
        return protocol;
    }

    /** Makes a client draw tokens until it counts, and forgets what it has sent for that. */
    void prove(LeaseProtocol protocol) {
        List<String> sent = node(protocol).sent;
        sent.clear();
        for (int i = 0; i < 100 && !sent.contains("INCRBY"); i++) {
            // A draw during which a connection was opened proves nothing.
            protocol.release(held(protocol));
        }
        assertThat(sent).contains("INCRBY");
        sent.clear();
    }

    private LeaseProtocol protocol(Environment env, String... options) {
        LockConfig.Builder builder =
                LockConfig.builder().endpoints(redis.server.uri()).commandTimeout(Fixture.PATIENCE);
        builder.option("card", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        LockConfig config = builder.build();
        InterposedNode node = new InterposedNode(
                RedisNodes.interlock(RedisEndpoint.of(config.endpoints().get(0)), config, Environment.system()));
        // What is handed over is good for all of its lease, not for two seconds, in which a machine may stand still.
        LeaseProtocol protocol = new SetNxPxProtocol(node, Settings.of(config), config, env, LEASE);
        protocols.add(protocol);
        nodes.put(protocol, node);
        return protocol;
    }

    InterposedNode node(LeaseProtocol protocol) {
        return nodes.get(protocol);
    }

    /** A claim of somebody who does not wait. */
    Claim once() {
        return claim(false);
    }

    /** A claim of somebody who goes on waiting. */
    Claim waiting() {
        return claim(true);
    }

    private Claim claim(boolean waits) {
        long number = numbers.incrementAndGet();
        return new Claim(NAME, new OwnerToken("token-" + number), LEASE, Fixture.PATIENCE, 1, number, waits, true);
    }

    Claim held(LeaseProtocol protocol) {
        Claim claim = waiting();
        assertGranted(protocol.attempt(claim));
        return claim;
    }

    /** A client that listens, and the claim by which it stands in the list. */
    Claim queued(LeaseProtocol protocol) {
        listen(protocol);
        Claim claim = waiting();
        assertRefused(protocol.attempt(claim));
        return claim;
    }

    static void listen(LeaseProtocol protocol) {
        CountDownLatch begun = new CountDownLatch(1);
        protocol.watch(NAME, begun::countDown);
        try {
            assertThat(begun.await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static long assertGranted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).firstFence().orElse(0);
    }

    static void assertRefused(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Refused.class);
    }

    /** Returns the value of the lock's key. */
    Object word() {
        return redis.server.command("GET", KEY);
    }

    static String marked(Claim claim) {
        return LockWord.marked(LockWord.of(claim));
    }

    Object waiters() {
        return redis.server.command("ZCARD", KEY + ":waiting");
    }
}
