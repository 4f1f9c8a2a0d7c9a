// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.spi.Capability;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands that are sent to the servers, as the servers count them. */
class CommandsTest {
    private final Fixture redis = new Fixture(5);
    private final List<CommandMonitor> monitors = new ArrayList<>();
    private final List<AttemptReport> reports = Fixture.reports();
    private DistributedLockFactory factory;

    @BeforeEach
    void warmUp() {
        factory = redis.reporting(redis::unshed, reports);
        redis.warmUp(factory);
        redis.servers.forEach(server -> monitors.add(server.monitor()));
    }

    @AfterEach
    void stop() {
        monitors.forEach(CommandMonitor::close);
        redis.close();
    }

    private List<List<String>> commands() {
        List<List<String>> commands = new ArrayList<>();
        for (CommandMonitor monitor : monitors) {
            monitor.sync();
            commands.add(
                    monitor.commands().stream().map(command -> command.get(0)).toList());
        }
        return commands;
    }

    @Test
    void anUncontendedPairIsOneScriptPerServerEachWay() {
        DistributedLock lock = factory.getLock("pair");
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isPresent();
        redis.awaitTakenOn("pair", 0, 1, 2, 3, 4);
        lock.unlock();
        redis.awaitTakenOn("pair");
        assertThat(commands()).allMatch(List.of("EVALSHA", "EVALSHA")::equals);
    }

    @Test
    void countersThatDifferCostOneMoreScriptPerServer() {
        divergedPair("known-scripts");
        commands();
        monitors.forEach(CommandMonitor::clear);
        divergedPair("diverged");
        assertThat(commands()).allMatch(List.of("EVALSHA", "EVALSHA", "EVALSHA")::equals);
    }

    private void divergedPair(String name) {
        for (int i = 0; i < 5; i++) {
            redis.servers.get(i).command("SET", Fixture.fence(name), Long.toString(8_000_000_000_000_000L + i));
        }
        DistributedLock lock = factory.getLock(name);
        lock.lock();
        redis.awaitTakenOn(name, 0, 1, 2, 3, 4);
        lock.unlock();
        redis.awaitTakenOn(name);
    }

    @Test
    void aRefusalIsOneScriptPerServerAndOneMoreForThoseWhoAnswerLate() {
        redis.holdElsewhere("taken", 0, 1, 2, 3, 4);
        assertThat(factory.getLock("taken").tryLock()).isFalse();
        List<NodeReport> nodes = reports.get(reports.size() - 1).nodes();
        // Later commands are sent after these, so all servers have executed them by now.
        redis.warmUp(factory);
        for (int i = 0; i < 5; i++) {
            monitors.get(i).sync();
            boolean late = nodes.get(i).vote() == NodeReport.Vote.NOT_AWAITED;
            // The quiet release is the same script as the other one, so the server knows it.
            assertThat(monitors.get(i).commands())
                    .filteredOn(command -> command.contains(Fixture.key("taken")))
                    .as("%s", nodes.get(i))
                    .hasSize(late ? 2 : 1)
                    .allMatch(command -> command.get(0).equals("EVALSHA"));
        }
    }

    @Test
    void aServerThatAlwaysAnswersLastLearnsTheScriptThatItDoesNotKnow() {
        redis.servers.get(4).command("SCRIPT", "FLUSH");
        redis.proxies.get(4).delayReplies(Duration.ofMillis(200));
        // Ends with a lock that is taken on all servers.
        redis.warmUp(factory);
    }

    @Test
    void withoutFencingThereIsNoTokenAndNoCounter() {
        DistributedLockFactory unfenced =
                redis.factory(config -> redis.unshed(config).option("fencing", "false"));
        redis.servers.forEach(server -> server.command("FLUSHALL"));
        assertThat(unfenced.profile().supports(Capability.FENCING)).isFalse();
        DistributedLock lock = unfenced.getLock("plain");
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isEmpty();
        redis.awaitTakenOn("plain", 0, 1, 2, 3, 4);
        assertThat(redis.servers)
                .allSatisfy(server -> assertThat(server.command("KEYS", "*")).isEqualTo(List.of(Fixture.key("plain"))));
        lock.unlock();
    }
}
