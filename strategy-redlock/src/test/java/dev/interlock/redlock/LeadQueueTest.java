// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a lock goes from one client to the next, over the node where they wait. */
class LeadQueueTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Fixture redis = new Fixture(3);
    private final AtomicLong numbers = new AtomicLong();

    @AfterEach
    void stop() {
        redis.close();
    }

    /** A client, and how often it was told to ask. */
    private final class Client {
        final LeaseProtocol protocol =
                redis.protocol(Fixture::trusting, Environment.system(), (index, node) -> node, Fixture.reports());
        final AtomicInteger signals = new AtomicInteger();

        Client(String name) {
            protocol.watch(name, signals::incrementAndGet);
            await().atMost(Fixture.PATIENCE).until(() -> {
                Claim claim = Fixture.claim("to-connect");
                protocol.attempt(claim);
                boolean everywhere = redis.takenOn("to-connect").size() == 3;
                protocol.release(claim);
                return everywhere;
            });
        }

        /** Takes a lock that is free. */
        Claim hold(String name) {
            Claim claim = newClaim(name);
            granted(claim);
            redis.awaitTakenOn(name, 0, 1, 2);
            return claim;
        }

        /** Waits behind others. */
        Claim queue(String name, long place) {
            Claim claim = newClaim(name);
            await().atMost(Fixture.PATIENCE).until(() -> {
                assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Refused.class);
                return queued(name) == place;
            });
            return claim;
        }

        long granted(Claim claim) {
            Attempt attempt = protocol.attempt(claim);
            assertThat(attempt).isInstanceOf(Attempt.Granted.class);
            return ((Attempt.Granted) attempt).firstFence().orElseThrow();
        }

        /** Releases a lock, and waits until another client has heard that it has it. */
        void handOver(Claim claim, Client next) {
            int before = next.signals.get();
            assertThat(protocol.release(claim)).isEqualTo(new Release.Freed(true));
            await().atMost(Fixture.PATIENCE).until(() -> next.signals.get() > before);
        }
    }

    private Claim newClaim(String name) {
        return new Claim(
                name,
                Environment.system().newToken(),
                LEASE,
                Fixture.PATIENCE,
                3,
                numbers.incrementAndGet(),
                true,
                true);
    }

    private static String queue(String name) {
        return Fixture.key(name) + ":waiting";
    }

    private long queued(String name) {
        return redis.servers.stream()
                .mapToLong(server -> (Long) server.command("ZCARD", queue(name)))
                .sum();
    }

    /** The node at which somebody waits. */
    private int lead(String name) {
        for (int i = 0; i < 3; i++) {
            if (Long.valueOf(1).equals(redis.servers.get(i).command("EXISTS", queue(name)))) {
                return i;
            }
        }
        throw new AssertionError("nobody waits");
    }

    private Object token(int node, String name) {
        return redis.servers.get(node).command("GET", Fixture.key(name));
    }

    @Test
    void thoseWhoWaitAreServedInTheOrderOfTheirArrivalWithGrowingTokens() {
        List<Client> clients = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        Client first = new Client("order");
        Claim held = first.hold("order");
        for (int i = 0; i < 3; i++) {
            clients.add(new Client("order"));
            claims.add(clients.get(i).queue("order", i + 1));
        }
        Client holder = first;
        long fence = 0;
        for (int i = 0; i < 3; i++) {
            holder.handOver(held, clients.get(i));
            if (i < 2) {
                assertThat(clients.get(i + 1).protocol.attempt(claims.get(i + 1)))
                        .isInstanceOf(Attempt.Refused.class);
            }
            holder = clients.get(i);
            held = claims.get(i);
            long next = holder.granted(held);
            assertThat(next).isGreaterThan(fence);
            fence = next;
        }
        holder.protocol.release(held);
        redis.awaitTakenOn("order");
        assertThat(queued("order")).isZero();
    }

    @Test
    void aHandOverToWhoKnowsTheRootIsTwoCommandsAndChangesNoKey() {
        Client a = new Client("chain");
        Client b = new Client("chain");
        Claim first = a.hold("chain");
        Claim second = b.queue("chain", 1);
        a.handOver(first, b);
        b.granted(second);
        Object root = token(0, "chain");
        Claim third = a.queue("chain", 1);
        b.handOver(second, a);
        a.granted(third);
        Claim fourth = b.queue("chain", 1);
        List<CommandMonitor> monitors =
                redis.servers.stream().map(server -> server.monitor()).toList();
        a.handOver(third, b);
        b.granted(fourth);
        Claim fifth = a.queue("chain", 1);
        List<List<String>> commands = new ArrayList<>();
        for (CommandMonitor monitor : monitors) {
            monitor.sync();
            commands.addAll(monitor.commands().stream()
                    .filter(command -> command.get(0).equals("EVALSHA") && command.contains(Fixture.key("chain")))
                    .toList());
            monitor.close();
        }
        assertThat(commands).hasSize(2);
        for (int i = 0; i < 3; i++) {
            assertThat(token(i, "chain")).isEqualTo(root);
        }
        a.protocol.release(fifth);
        b.protocol.release(fourth);
        redis.awaitTakenOn("chain");
    }

    @Test
    void anOwnerWhosePassHasNoKnownOutcomeDeletesNothing() {
        Client a = new Client("unknown");
        Client b = new Client("unknown");
        Claim first = a.hold("unknown");
        Claim second = b.queue("unknown", 1);
        int lead = lead("unknown");
        a.handOver(first, b);
        b.granted(second);
        Claim third = a.queue("unknown", 1);
        redis.proxies.get(lead).loseNextReply();
        b.protocol.release(second);
        b.protocol.release(second);
        redis.awaitTakenOn("unknown", 0, 1, 2);
        await().atMost(Fixture.PATIENCE).until(() -> a.protocol.attempt(third) instanceof Attempt.Granted);
        redis.awaitTakenOn("unknown", 0, 1, 2);
        a.protocol.release(third);
        redis.awaitTakenOn("unknown");
    }

    @Test
    void aRootThatNobodyWaitsForIsReleased() {
        Client a = new Client("last");
        Client b = new Client("last");
        Claim first = a.hold("last");
        Claim second = b.queue("last", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.release(second)).isEqualTo(new Release.Freed(false));
        redis.awaitTakenOn("last");
    }

    @Test
    void whoGivesUpPassesOnWhatItWasPassedMeanwhile() {
        Client a = new Client("given-up");
        Client b = new Client("given-up");
        Client c = new Client("given-up");
        Claim first = a.hold("given-up");
        Claim second = b.queue("given-up", 1);
        a.handOver(first, b);
        long fence = b.granted(second);
        Claim third = c.queue("given-up", 1);
        Claim fourth = a.queue("given-up", 2);
        b.handOver(second, c);
        c.handOver(third, a);
        assertThat(a.granted(fourth)).isGreaterThan(fence);
        Claim fifth = b.queue("given-up", 1);
        a.handOver(fourth, b);
        b.protocol.release(fifth);
        redis.awaitTakenOn("given-up");
    }

    @Test
    void whoWaitsHasAnotherTokenThanInItsRound() {
        Client a = new Client("tokens");
        Client b = new Client("tokens");
        a.hold("tokens");
        Claim second = b.queue("tokens", 1);
        List<?> waiting = (List<?>) redis.servers.get(lead("tokens")).command("ZRANGE", queue("tokens"), "0", "-1");
        assertThat(String.valueOf(waiting.get(0)).split(" ")[1])
                .startsWith(second.token())
                .isNotEqualTo(second.token());
    }

    @Test
    void aHolderWhoseKeyHasExpiredAtTheLeadIsNoPredecessor() {
        Client a = new Client("expired");
        Client b = new Client("expired");
        Claim first = a.hold("expired");
        Claim second = b.queue("expired", 1);
        int lead = lead("expired");
        redis.servers.get(lead).command("DEL", Fixture.key("expired"));
        assertThat(b.protocol.attempt(second)).isInstanceOf(Attempt.Refused.class);
        for (int i = 0; i < 3; i++) {
            if (i != lead) {
                assertThat(token(i, "expired")).isEqualTo(first.token());
            }
        }
    }

    @Test
    void aLockThatIsFreeAtTheLeadGoesToWhoeverWaitsThere() {
        Client a = new Client("free");
        Client b = new Client("free");
        a.hold("free");
        Claim second = b.queue("free", 1);
        int lead = lead("free");
        redis.servers.get(lead).command("DEL", Fixture.key("free"));
        new Client("free").protocol.attempt(newClaim("free"));
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(token(lead, "free")).startsWith(second.token()));
    }

    @Test
    void whoeverHasNotHeardTheMessageAsks() {
        Client a = new Client("unheard");
        Client b = new Client("unheard");
        Claim first = a.hold("unheard");
        Claim second = b.queue("unheard", 1);
        redis.servers.get(lead("unheard")).command("CLIENT", "KILL", "TYPE", "pubsub");
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        b.protocol.release(second);
        redis.awaitTakenOn("unheard");
    }

    @Test
    void whoWaitsAtALeadThatIsGoneGoesToTheNext() {
        Client a = new Client("dead-lead");
        Client b = new Client("dead-lead");
        Claim first = a.hold("dead-lead");
        Claim second = b.queue("dead-lead", 1);
        int lead = lead("dead-lead");
        redis.proxies.get(lead).refuse();
        a.protocol.release(first);
        await().atMost(Fixture.PATIENCE).until(() -> b.protocol.attempt(second) instanceof Attempt.Granted);
        redis.proxies.get(lead).accept();
        b.protocol.release(second);
        redis.awaitTakenOn("dead-lead");
    }

    @Test
    void aRootIsRenewedUnderItsOwnToken() {
        Client a = new Client("renewed");
        Client b = new Client("renewed");
        Claim first = a.hold("renewed");
        Claim second = b.queue("renewed", 1);
        a.handOver(first, b);
        b.granted(second);
        assertThat(b.protocol.renew(List.of(second)).get(0)).isInstanceOf(Renewal.Renewed.class);
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                        .allMatch(server -> (Long) server.command("PTTL", Fixture.key("renewed")) > 20_000));
        // What has a long lease is not passed on, but released and granted.
        Object root = token(0, "renewed");
        Claim third = a.queue("renewed", 1);
        b.handOver(second, a);
        a.granted(third);
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.takenOn("renewed").size() == 3 && !root.equals(token(0, "renewed")));
    }

    /** Sends the lead what an owner sends that passes a root on. */
    private Object pass(int lead, String name, int hop, long deadlineMicros, long fence) {
        return redis.servers
                .get(lead)
                .command(
                        "EVAL",
                        LeadScripts.PASS.source(),
                        "3",
                        Fixture.key(name),
                        queue(name),
                        Fixture.key(name) + ":lead",
                        String.valueOf(token(lead, name)),
                        Integer.toString(hop),
                        Long.toString(deadlineMicros),
                        Long.toString(fence));
    }

    private long micros(int node) {
        List<?> time = (List<?>) redis.servers.get(node).command("TIME");
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000 + Long.parseLong(String.valueOf(time.get(1)));
    }

    @Test
    void aRootIsPassedOnOnceForEachHopAndOnlyBeforeTheDeadline() {
        Client a = new Client("hops");
        Client b = new Client("hops");
        Client c = new Client("hops");
        Claim first = a.hold("hops");
        Claim second = b.queue("hops", 1);
        int lead = lead("hops");
        a.handOver(first, b);
        long fence = b.granted(second) + 3;
        c.queue("hops", 1);
        a.queue("hops", 2);
        assertThat(pass(lead, "hops", 1, Long.MAX_VALUE / 1024, fence))
                .as("another hop")
                .isEqualTo(0L);
        assertThat(pass(lead, "hops", 0, micros(lead), fence)).as("too late").isEqualTo(0L);
        assertThat(queued("hops")).isEqualTo(2);
        assertThat(pass(lead, "hops", 0, micros(lead) + 1_000_000_000, fence)).isEqualTo(1L);
        assertThat(pass(lead, "hops", 0, micros(lead) + 1_000_000_000, fence))
                .as("once more")
                .isEqualTo(0L);
        assertThat(queued("hops")).isEqualTo(1);
    }

    @Test
    void theDeadlineIsNotThatOfAKeyWhichOnlyTheLeadHasRenewed() {
        Client a = new Client("deadline");
        Client b = new Client("deadline");
        Claim first = a.hold("deadline");
        Claim second = b.queue("deadline", 1);
        int lead = lead("deadline");
        a.handOver(first, b);
        b.granted(second);
        long granted = micros(lead);
        redis.servers.get(lead).command("PEXPIRE", Fixture.key("deadline"), "60000");
        redis.servers.get(lead).command("PEXPIRE", Fixture.key("deadline") + ":lead", "60000");
        a.queue("deadline", 1);
        b.handOver(second, a);
        String[] record = String.valueOf(redis.servers.get(lead).command("GET", Fixture.key("deadline") + ":lead"))
                .split(" ");
        assertThat(record[1]).isEqualTo("1");
        assertThat(Long.parseLong(record[3])).isBetween(1L, granted + 2_000_000);
    }
}
