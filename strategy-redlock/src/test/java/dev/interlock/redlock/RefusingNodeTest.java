// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that refuses some requests with an error is still used for the others. */
class RefusingNodeTest {
    private static final String NO_MEMORY = "CONFIG SET maxmemory 1";
    private static final String NO_REPLICAS = "CONFIG SET min-replicas-to-write 1";

    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    private static long connections(RedisServer server) {
        return String.valueOf(server.command("INFO", "stats"))
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static long count(CommandMonitor monitor, String sha1) {
        monitor.sync();
        return monitor.commands().stream()
                .filter(command -> command.contains(sha1))
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {NO_MEMORY, NO_REPLICAS})
    void aNodeThatRefusesToWriteIsNotConnectedToAgain(String trouble) {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        RedisServer refusing = redis.servers.get(1);
        refusing.command(trouble.split(" "));
        long before = connections(refusing);

        for (int i = 0; i < 20; i++) {
            DistributedLock lock = factory.getLock("refused-" + i);
            lock.lock();
            lock.unlock();
        }

        assertThat(connections(refusing)).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {NO_MEMORY, NO_REPLICAS})
    void nodesThatRefuseToWriteStillTellThatALockIsHeld(String trouble) {
        DistributedLockFactory other = redis.factory();
        redis.warmUp(other);
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        redis.acquireEverywhere(factory.getLock("held", Fixture.unrenewed(Duration.ofMinutes(2))));
        redis.servers.forEach(server -> server.command(trouble.split(" ")));

        assertThat(other.getLock("held").tryLock()).isFalse();
    }

    @Test
    void aNodeThatRefusesAReleaseIsToldAgainAfterAPause() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        LockHandle lease = redis.acquireEverywhere(factory.getLock("kept", Fixture.unrenewed(Duration.ofMinutes(2))));
        RedisServer refusing = redis.servers.get(1);
        refusing.command(NO_REPLICAS.split(" "));
        CommandMonitor monitor = redis.closeLater(refusing.monitor());
        long began = System.nanoTime();

        lease.close();
        await().atMost(Fixture.PATIENCE).until(() -> count(monitor, LeadScripts.RELEASE.sha1()) >= 3);

        long told = count(monitor, LeadScripts.RELEASE.sha1());
        long pauses = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) / 200;
        assertThat(told).isLessThanOrEqualTo(pauses + 1);
        refusing.command("CONFIG", "SET", "min-replicas-to-write", "0");
        redis.awaitTakenOn("kept");
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(strings = {NO_MEMORY, "ACL SETUSER default -zadd"})
    void thoseWhoWaitQueueAtAnotherNodeIfTheLeadRefusesIt(String trouble) throws Exception {
        int hands = 300;
        String name = "queue";
        int lead = Quorum.first(
                name, Configuration.founding(List.of("a", "b", "c")).majorities(), node -> true);
        redis.servers.get(lead).command(trouble.split(" "));
        CommandMonitor monitor =
                redis.closeLater(redis.servers.get((lead + 1) % 3).monitor());
        List<FutureTask<Void>> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            DistributedLock lock = redis.factory().getLock(name);
            clients.add(Fixture.start(() -> {
                for (int hand = 0; hand < hands; hand++) {
                    lock.lock();
                    lock.unlock();
                }
                return null;
            }));
        }
        for (FutureTask<Void> client : clients) {
            client.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        assertThat(count(monitor, LeadScripts.TAKE.sha1()))
                .as("rounds at all nodes, for %d holds", 3 * hands)
                .isLessThan(hands);
    }
}
