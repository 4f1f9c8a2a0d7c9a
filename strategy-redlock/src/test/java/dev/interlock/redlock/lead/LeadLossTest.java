// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.ServerStatus;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.LuaScript;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.QueueFixture;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.FaultProxy.Trap;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that are passed on while a message, a client or the lead is lost. */
class LeadLossTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static final QueueFixture PATIENT = new QueueFixture();

    private QueueFixture clients = PATIENT;
    private Fixture redis = clients.redis;

    @AfterEach
    void stop() {
        if (clients != PATIENT) {
            clients.close();
        }
    }

    @AfterAll
    static void stopAll() {
        PATIENT.close();
    }

    /** Makes the grants of waiters short. */
    private void grantBriefly() {
        clients = new QueueFixture(SHORT);
        redis = clients.redis;
    }

    private static <T> T result(FutureTask<T> task) throws Exception {
        return task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void awaitSnapped(CompletableFuture<Void> trap) throws Exception {
        trap.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** How often a script was sent for a lock. */
    private static long count(List<CommandMonitor> monitors, LuaScript script, String name) {
        long count = 0;
        for (CommandMonitor monitor : monitors) {
            monitor.sync();
            count += monitor.commands().stream()
                    .filter(command -> Fixture.isCall(command, script, name))
                    .count();
        }
        return count;
    }

    private List<CommandMonitor> monitors() {
        List<CommandMonitor> monitors = new ArrayList<>();
        for (RedisServer server : redis.servers) {
            monitors.add(redis.closeLater(server.monitor()));
        }
        return monitors;
    }

    @Test
    void anOwnerThatDiesWithItsPassOnTheWayHasPassedTheLockOn() throws Exception {
        QueueFixture.Client a = clients.client("dies");
        QueueFixture.Client b = clients.client("dies");
        Claim owned = clients.knownRoot("dies", a, b);
        Claim next = a.queue("dies", 1);
        Object root = clients.root("dies");
        int lead = QueueFixture.lead("dies");
        CompletableFuture<Void> passed = redis.proxies.get(lead).trap(LeadScripts.PASS.sha1(), Trap.HOLD_REPLY);
        FutureTask<Release> release = Fixture.start(() -> b.protocol.release(owned));
        awaitSnapped(passed);
        b.protocol.close();
        assertThat(result(release)).isEqualTo(new Release.Freed(true));
        redis.proxies.get(lead).heal();
        a.grantedInTheEnd(next);
        assertThat(clients.isRoot("dies", root)).isTrue();
    }

    @Test
    void aReleaseThatIsRepeatedSincePartOfItHasFailedPassesNothingOn() {
        QueueFixture.Client a = clients.client("once");
        QueueFixture.Client b = clients.client("once");
        Claim owned = clients.knownRoot("once", a, b);
        List<CommandMonitor> monitors = monitors();
        for (int node = 0; node < 3; node++) {
            if (node != QueueFixture.lead("once")) {
                redis.proxies.get(node).refuse();
            }
        }
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> b.protocol.release(owned)).isInstanceOf(LockBackendException.class);
        }
        assertThat(count(monitors, LeadScripts.PASS, "once")).isEqualTo(1);
        redis.proxies.forEach(FaultProxy::accept);
        redis.awaitTakenOn("once");
    }

    @Test
    @Tag("deep")
    void aPassThatDoesNotArriveDeletesNothingAndCostsNoMoreThanTheLease() throws Exception {
        grantBriefly();
        QueueFixture.Client a = clients.client("late");
        QueueFixture.Client b = clients.client("late");
        Claim owned = clients.root("late", a, b);
        Claim next = a.queue("late", 1);
        List<CommandMonitor> monitors = monitors();
        int lead = QueueFixture.lead("late");
        CompletableFuture<Void> sent = redis.proxies.get(lead).trap(LeadScripts.PASS.sha1(), Trap.HOLD_REQUEST);
        FutureTask<Release> release = Fixture.start(() -> b.protocol.release(owned));
        awaitSnapped(sent);
        assertThat(result(release)).isEqualTo(new Release.Freed(true));
        redis.awaitTakenOn("late");
        assertThat(count(monitors, LeadScripts.RELEASE, "late")).isZero();
        redis.proxies.get(lead).heal();
        a.grantedInTheEnd(next);
        assertThat(count(monitors, LeadScripts.PASS, "late"))
                .as("it arrived too late")
                .isEqualTo(1);
        a.protocol.release(next);
        redis.awaitTakenOn("late");
    }

    @Test
    void aLeadThatForgetsAllEndsTheChainAndTheQueueFormsAgain() {
        QueueFixture.Client a = clients.client("forgets");
        QueueFixture.Client b = clients.client("forgets");
        QueueFixture.Client c = clients.client("forgets");
        Claim owned = clients.knownRoot("forgets", a, b);
        Claim next = c.queue("forgets", 1);
        redis.servers.get(QueueFixture.lead("forgets")).command("FLUSHALL");
        b.protocol.release(owned);
        redis.awaitTakenOn("forgets");
        c.grantedInTheEnd(next);
        c.protocol.release(next);
        clients.awaitNothingLeft("forgets");
    }

    @Test
    @Tag("deep")
    void aLeadThatStartsAnewEndsTheChainAndTheQueueFormsAgain() {
        QueueFixture.Client a = clients.client("restarts");
        QueueFixture.Client b = clients.client("restarts");
        QueueFixture.Client c = clients.client("restarts");
        Claim owned = clients.knownRoot("restarts", a, b);
        Claim next = c.queue("restarts", 1);
        int lead = QueueFixture.lead("restarts");
        ServerStatus before = b.protocol.servers().get(lead);
        redis.servers.get(lead).restart();
        // A pass that is sent into the old connection may have been carried out: then the lock stays for a grant.
        await().atMost(Fixture.PATIENCE).until(() -> {
            ServerStatus now = b.protocol.servers().get(lead);
            return !now.connected() || now.connections() > before.connections();
        });
        b.protocol.release(owned);
        c.grantedInTheEnd(next);
        c.protocol.release(next);
        clients.awaitNothingLeft("restarts");
    }

    @Test
    void whoInheritedTheLockHasItThoughTheLeadHasForgottenIt() {
        QueueFixture.Client a = clients.client("inherited");
        QueueFixture.Client b = clients.client("inherited");
        QueueFixture.Client c = clients.client("inherited");
        Claim owned = clients.knownRoot("inherited", a, b);
        Claim next = a.queue("inherited", 1);
        b.handOver(owned, a);
        redis.servers.get(QueueFixture.lead("inherited")).command("FLUSHALL");
        a.granted(next);
        assertThat(c.protocol.attempt(Fixture.claim("inherited"))).isInstanceOf(Attempt.Refused.class);
        a.protocol.release(next);
        c.grantedInTheEnd(clients.newClaim("inherited"));
    }

    @Test
    @Tag("deep")
    void aLeadThatStandsStillHoldsUpTheLockForOneLeaseAndTheQueueMoves() throws Exception {
        grantBriefly();
        QueueFixture.Client a = clients.client("still");
        QueueFixture.Client b = clients.client("still");
        Claim owned = clients.root("still", a, b);
        Claim next = a.queue("still", 1);
        RedisServer lead = redis.servers.get(QueueFixture.lead("still"));
        lead.pause();
        assertThat(b.protocol.release(owned)).isEqualTo(new Release.Freed(true));
        a.grantedInTheEnd(next);
        lead.resume();
        a.protocol.release(next);
        clients.awaitNothingLeft("still");
    }

    @Test
    @Tag("deep")
    void aWaiterThatIsGoneIsPassedOver() {
        QueueFixture.Client a = clients.client("gone");
        QueueFixture.Client b = clients.client("gone");
        QueueFixture.Client c = clients.client("gone");
        Claim owned = clients.knownRoot("gone", a, b);
        c.queue("gone", 1);
        Claim next = a.queue("gone", 2);
        RedisServer lead = redis.servers.get(QueueFixture.lead("gone"));
        int listening = ((List<?>) lead.command("PUBSUB", "CHANNELS")).size();
        c.protocol.close();
        await().atMost(Fixture.PATIENCE).until(() -> ((List<?>) lead.command("PUBSUB", "CHANNELS")).size() < listening);
        b.handOver(owned, a);
        a.granted(next);
        a.protocol.release(next);
        clients.awaitNothingLeft("gone");
    }

    @Test
    @Tag("deep")
    void aWaiterThatSleepsHoldsTheOthersUpForOneGrant() {
        grantBriefly();
        QueueFixture.Client a = clients.client("sleeps");
        QueueFixture.Client b = clients.client("sleeps");
        QueueFixture.Client sleeper = clients.client("sleeps");
        Claim owned = clients.root("sleeps", a, b);
        sleeper.queue("sleeps", 1);
        Claim next = a.queue("sleeps", 2);
        b.handOver(owned, sleeper);
        a.grantedInTheEnd(next);
        assertThat(clients.queued("sleeps")).isZero();
    }

    @Test
    @Tag("deep")
    void aRootThatIsHeardOfTooLateIsNotHeld() {
        grantBriefly();
        QueueFixture.Client a = clients.client("too-late");
        QueueFixture.Client b = clients.client("too-late");
        Claim owned = clients.knownRoot("too-late", a, b);
        Object root = clients.root("too-late");
        Claim next = a.queue("too-late", 1);
        b.handOver(owned, a);
        redis.awaitTakenOn("too-late");
        assertThat(a.protocol.attempt(next)).isInstanceOf(Attempt.Refused.class);
        a.grantedInTheEnd(next);
        assertThat(clients.root("too-late")).isNotEqualTo(root);
    }

    @Test
    @Tag("deep")
    void aRootHasSixtyFourHopsAndThenAllNodesAreAskedAgain() {
        QueueFixture.Client a = clients.client("block");
        QueueFixture.Client b = clients.client("block");
        Claim owned = clients.root("block", a, b);
        Object root = clients.root("block");
        QueueFixture.Client owner = b;
        QueueFixture.Client waiter = a;
        long fence = 0;
        for (int hop = 1; hop <= LeadScripts.MOST_HOPS + 2; hop++) {
            Claim next = waiter.queue("block", 1);
            owner.handOver(owned, waiter);
            long drawn = waiter.granted(next);
            assertThat(drawn).as("hop %s", hop).isGreaterThan(fence);
            fence = drawn;
            assertThat(root.equals(clients.root("block")))
                    .as("one root, hop %s", hop)
                    .isEqualTo(hop <= LeadScripts.MOST_HOPS);
            QueueFixture.Client former = owner;
            owner = waiter;
            waiter = former;
            owned = next;
        }
        owner.protocol.release(owned);
        clients.awaitNothingLeft("block");
    }

    @Test
    void aMessageThatAnybodyMayHaveSentGrantsNothing() {
        QueueFixture.Client a = clients.client("forged");
        QueueFixture.Client b = clients.client("forged");
        Claim owned = clients.knownRoot("forged", a, b);
        Claim next = a.queue("forged", 1);
        int lead = QueueFixture.lead("forged");
        String entry = String.valueOf(
                ((List<?>) redis.servers.get(lead).command("ZRANGE", QueueFixture.queue("forged"), "0", "0")).get(0));
        String channel = entry.substring(entry.lastIndexOf(' ') + 1);
        String digest = "0123456789012345678901234567890123456789";
        for (String text : List.of(
                "granted " + Fixture.key("forged"),
                "passed 1 " + (clients.micros(lead) + 10_000_000) + " 77 " + digest + " " + Fixture.key("forged"),
                "passed 99999999999999999999 99999999999999999999 99999999999999999999 " + digest + " "
                        + Fixture.key("forged"))) {
            assertThat(redis.servers.get(lead).command("PUBLISH", channel, digest + " " + text))
                    .as("a client listens")
                    .isEqualTo(1L);
            assertThat(a.protocol.attempt(next)).as(text).isInstanceOf(Attempt.Refused.class);
        }
        b.handOver(owned, a);
        a.granted(next);
    }

    @Test
    void aRenewalBehindThePassExtendsNothing() {
        QueueFixture.Client a = clients.client("renewal");
        QueueFixture.Client b = clients.client("renewal");
        Claim owned = clients.knownRoot("renewal", a, b);
        Claim next = a.queue("renewal", 1);
        b.handOver(owned, a);
        assertThat(b.protocol.renew(List.of(owned)).get(0)).isInstanceOf(Renewal.Lost.class);
        assertThat(redis.servers)
                .allSatisfy(server -> assertThat((Long) server.command("PTTL", Fixture.key("renewal")))
                        .isLessThanOrEqualTo(QueueFixture.GRANT.toMillis()));
        a.granted(next);
    }

    @Test
    void aReleaseThatIsRepeatedBehindThePassDeletesNothing() {
        QueueFixture.Client a = clients.client("repeated");
        QueueFixture.Client b = clients.client("repeated");
        Claim owned = clients.knownRoot("repeated", a, b);
        Claim next = a.queue("repeated", 1);
        b.handOver(owned, a);
        b.protocol.release(owned);
        b.protocol.releaseAll(List.of(owned));
        assertThat(clients.isRoot("repeated", clients.root("repeated"))).isTrue();
        a.granted(next);
    }
}
