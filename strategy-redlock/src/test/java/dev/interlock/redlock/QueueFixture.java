// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.lead.LeadScripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;

/** Clients that queue for a lock, and take each step when the test says so. */
public final class QueueFixture implements AutoCloseable {
    /** The lease of a grant to a waiter, so long that no test has to be quick. */
    public static final Duration GRANT = Duration.ofSeconds(60);

    private static final Duration LEASE = Duration.ofMinutes(2);

    public final Fixture redis = new Fixture(3);
    private final Duration grant;
    private final AtomicLong numbers = new AtomicLong();

    public QueueFixture() {
        this(GRANT);
    }

    /** @param grant the longest lease of a grant to a waiter */
    public QueueFixture(Duration grant) {
        this.grant = grant;
    }

    /** A client, and how often it was told to ask. */
    public final class Client {
        public final LeaseProtocol protocol;
        private final AtomicInteger signals = new AtomicInteger();

        private Client(String name, Environment env, BiFunction<Integer, RedisNode, RedisNode> wrapper) {
            protocol = redis.protocol(
                    Fixture::trusting, env, wrapper, Fixture.reports(), settings -> settings.withLongestGrant(grant));
            protocol.watch(name, signals::incrementAndGet);
            soon().until(() -> {
                Claim claim = Fixture.claim("to-connect");
                protocol.attempt(claim);
                boolean everywhere = redis.takenOn("to-connect").size() == 3;
                protocol.release(claim);
                return everywhere;
            });
        }

        /**
         * Takes a free lock on all nodes. Retries, since a node that has owed an answer for long is not asked at first.
         */
        public Claim hold(String name) {
            AtomicReference<Claim> held = new AtomicReference<>();
            soon().until(() -> {
                Claim claim = newClaim(name);
                granted(claim);
                held.set(claim);
                if (redis.takenOn(name).size() == 3) {
                    return true;
                }
                protocol.release(claim);
                redis.awaitTakenOn(name);
                return false;
            });
            return held.get();
        }

        /** Waits behind others. */
        public Claim queue(String name, long place) {
            Claim claim = newClaim(name);
            soon().until(() -> {
                assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Refused.class);
                return queued(name) == place;
            });
            return claim;
        }

        /** Takes a lock that was granted or passed on, and returns the fencing token. */
        public long granted(Claim claim) {
            Attempt attempt = protocol.attempt(claim);
            assertThat(attempt).isInstanceOf(Attempt.Granted.class);
            return ((Attempt.Granted) attempt).firstFence().orElseThrow();
        }

        /** Asks again until the lock is granted, and returns the fencing token. */
        public long grantedInTheEnd(Claim claim) {
            AtomicLong fence = new AtomicLong();
            await().atMost(Fixture.PATIENCE).until(() -> {
                if (protocol.attempt(claim) instanceof Attempt.Granted granted) {
                    fence.set(granted.firstFence().orElseThrow());
                    return true;
                }
                return false;
            });
            return fence.get();
        }

        /** Releases a lock, and waits until another client has heard that it has it. */
        public void handOver(Claim claim, Client next) {
            int before = next.signals();
            assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
            next.awaitSignal(before);
        }

        /** How often the client was told to ask. */
        public int signals() {
            return signals.get();
        }

        /** Waits until the client was told to ask once more. */
        public void awaitSignal(int before) {
            soon().until(() -> signals.get() > before);
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(Fixture.PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    /** Creates a client that listens. */
    public Client client(String name) {
        return client(name, Environment.system());
    }

    /** Creates a client that listens, with clocks of its own. */
    public Client client(String name, Environment env) {
        return new Client(name, env, (index, node) -> node);
    }

    /** Creates a client whose scripts pass a gate on their way to one node. */
    public Client client(String name, int node, GatedNode.Gate gate) {
        return new Client(
                name, Environment.system(), (index, server) -> index == node ? new GatedNode(server, gate) : server);
    }

    /** Makes a client own a root that can be passed on, after another client has held it. */
    public Claim root(String name, Client former, Client owner) {
        Claim first = former.hold(name);
        Claim second = owner.queue(name, 1);
        former.handOver(first, owner);
        owner.granted(second);
        return second;
    }

    /** Like {@link #root}, but the former holder knows the root too. */
    public Claim knownRoot(String name, Client former, Client owner) {
        Claim owned = root(name, owner, former);
        Claim next = owner.queue(name, 1);
        former.handOver(owned, owner);
        owner.granted(next);
        return next;
    }

    public Claim newClaim(String name) {
        return new Claim(
                name,
                new OwnerToken(Environment.system().newToken()),
                LEASE,
                Fixture.PATIENCE,
                3,
                numbers.incrementAndGet(),
                true,
                true);
    }

    public static String queue(String name) {
        return Fixture.key(name) + ":waiting";
    }

    public static String record(String name) {
        return Fixture.key(name) + ":lead";
    }

    /** The number of waiters. */
    public long queued(String name) {
        return redis.servers.stream()
                .mapToLong(server -> (Long) server.command("ZCARD", queue(name)))
                .sum();
    }

    /** The lead of a lock. */
    public static int lead(String name) {
        return Quorum.first(name, Configuration.founding(List.of("a", "b", "c")).majorities(), node -> true);
    }

    /** The token that a node has. */
    public Object token(int node, String name) {
        return redis.servers.get(node).command("GET", Fixture.key(name));
    }

    /** The root that the lead has. */
    public Object root(String name) {
        return token(lead(name), name);
    }

    /** Returns whether a majority has this root. */
    public boolean isRoot(String name, Object root) {
        return IntStream.range(0, 3).filter(i -> root.equals(token(i, name))).count() >= 2;
    }

    /** Sends the lead the command with which an owner passes a root on. */
    public Object pass(String name, int hop, long deadlineMicros, long fence) {
        int lead = lead(name);
        return redis.servers
                .get(lead)
                .command(
                        "EVAL",
                        LeadScripts.PASS.source(),
                        "3",
                        Fixture.key(name),
                        queue(name),
                        record(name),
                        String.valueOf(token(lead, name)),
                        Integer.toString(hop),
                        Long.toString(deadlineMicros),
                        Long.toString(fence),
                        "0");
    }

    /** The clock of a node. */
    public long micros(int node) {
        List<?> time = (List<?>) redis.servers.get(node).command("TIME");
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000 + Long.parseLong(String.valueOf(time.get(1)));
    }

    /** Waits until only the counter of fencing tokens is left of a lock. */
    public void awaitNothingLeft(String name) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                        .allMatch(server -> List.of(Fixture.fence(name))
                                .containsAll((List<?>) server.command("KEYS", Fixture.key(name) + "*"))));
    }

    @Override
    public void close() {
        redis.close();
    }
}
