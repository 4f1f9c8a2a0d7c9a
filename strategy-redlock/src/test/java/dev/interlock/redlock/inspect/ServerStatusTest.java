// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.ServerStatus;
import dev.interlock.redlock.AttemptReport;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.NodeReport;
import dev.interlock.redlock.QueueFixture;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.testservers.CommandMonitor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The status of each server, as operators see it. */
class ServerStatusTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    private static LockConfig.Builder waiting(LockConfig.Builder config) {
        return Fixture.trusting(config).option("cold-start", "wait").option("max-lease", "1h");
    }

    private static ServerStatus state(DistributedLockFactory factory, int server) {
        return factory.servers().get(server);
    }

    private String address(int server) {
        return "127.0.0.1:" + redis.proxies.get(server).port();
    }

    /** Takes and releases a lock whose lead is not the second server, since a release waits for the lead. */
    private static void pair(DistributedLockFactory factory, String name) {
        DistributedLock lock = factory.getLock(ledElsewhere(name));
        lock.lock();
        lock.unlock();
    }

    private static String ledElsewhere(String name) {
        return QueueFixture.lead(name) == 1 ? ledElsewhere(name + "+") : name;
    }

    /** Waits until servers vote: one that owes an answer for long on a busy machine does not until it has caught up. */
    private static void awaitVoting(DistributedLockFactory factory, int... servers) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> Arrays.stream(servers)
                        .allMatch(server -> state(factory, server).voting()));
    }

    @Test
    void aServerThatStandsAsideIsShownWithTheTimeThatItStillDoes() {
        DistributedLockFactory factory = redis.factory(ServerStatusTest::waiting);
        assertThat(factory.servers())
                .extracting(ServerStatus::server)
                .containsExactly(address(0), address(1), address(2));
        assertThat(factory.servers()).noneMatch(ServerStatus::connected);

        assertThatThrownBy(() -> factory.getLock("young").tryLock()).isInstanceOf(LockBackendException.class);

        await().atMost(Fixture.PATIENCE)
                .until(() -> factory.servers().stream()
                        .allMatch(state -> state.votesIn().isPresent()));
        ServerStatus young = state(factory, 0);
        assertThat(young.voting()).isFalse();
        assertThat(young.votesIn().orElseThrow()).isBetween(HOUR.dividedBy(2), HOUR.multipliedBy(2));
        assertThat(young.condition()).contains("too short a time ago to vote");
        assertThat(factory.toString()).contains(address(0) + " does not vote, but will in ");

        redis.growOld(HOUR.multipliedBy(2));
        redis.warmUp(factory);

        awaitVoting(factory, 0, 1, 2);
        ServerStatus old = state(factory, 0);
        assertThat(old.votesIn()).isEmpty();
        assertThat(old.condition()).isEmpty();
        assertThat(old.latency()).isPositive();
        assertThat(old.connections()).as("the test has cut one").isEqualTo(2);
        factory.close();
        assertThat(factory.servers()).isEmpty();
        assertThat(factory.toString()).isEqualTo("DistributedLockFactory[redlock, closed]");
    }

    @Test
    void aServerThatIsGoneIsShownWithTheReason() {
        DistributedLockFactory factory =
                redis.factory(config -> Fixture.trusting(config).option("node-timeout", "1s"));
        redis.warmUp(factory);

        redis.proxies.get(1).refuse();

        await().atMost(Fixture.PATIENCE).until(() -> {
            pair(factory, "gone");
            return state(factory, 1).condition().contains("cannot connect to");
        });
        assertThat(state(factory, 1).connected()).isFalse();
        assertThat(state(factory, 1).voting()).isFalse();
        assertThat(factory.toString()).contains(address(1) + " is not connected");
    }

    @Test
    void aServerThatRefusesVotesIsShownUntilItGivesOne() {
        DistributedLockFactory factory = redis.factory();
        redis.warmUp(factory);
        redis.servers.get(1).command("CONFIG", "SET", "maxmemory", "1");

        await().atMost(Fixture.PATIENCE).until(() -> {
            pair(factory, "full");
            return !state(factory, 1).voting();
        });

        assertThat(state(factory, 1).connected()).isTrue();
        assertThat(state(factory, 1).condition()).contains("OOM");
        redis.servers.get(1).command("CONFIG", "SET", "maxmemory", "0");
        redis.warmUp(factory);
        awaitVoting(factory, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatOwesAnAnswerForLongIsNotAskedUnlessItsOwnTimeoutSaysSo(boolean hasOwnTimeout) {
        DistributedLockFactory factory = redis.factory(config -> hasOwnTimeout
                ? Fixture.trusting(config).option("node-timeouts", address(1) + "=30s")
                : Fixture.trusting(config));
        redis.warmUp(factory);
        CommandMonitor monitor = redis.closeLater(redis.servers.get(1).monitor());
        redis.proxies.get(1).blackholeReplies();
        await().atMost(Fixture.PATIENCE).until(() -> {
            // More than once, since a server that has just been slow is not asked at first.
            pair(factory, "before");
            return state(factory, 1).owing().compareTo(Duration.ofMillis(500)) > 0;
        });

        ServerStatus slow = state(factory, 1);
        assertThat(slow.unanswered()).isPositive();
        assertThat(slow.voting()).isEqualTo(hasOwnTimeout);
        assertThat(slow.condition())
                .isEqualTo(hasOwnTimeout ? "" : "it is too slow, and not asked until it has caught up");
        pair(factory, "after");

        if (hasOwnTimeout) {
            // The other two have carried the attempt, perhaps before the request has reached this one.
            await().atMost(Fixture.PATIENCE).until(() -> wasAsked(monitor, "after"));
        } else {
            assertThat(wasAsked(monitor, "after")).isFalse();
        }
    }

    private static boolean wasAsked(CommandMonitor monitor, String name) {
        monitor.sync();
        return monitor.commands().stream()
                .anyMatch(command ->
                        command.contains(LeadScripts.TAKE.sha1()) && command.contains(Fixture.key(ledElsewhere(name))));
    }

    @Test
    void flightRecorderIsToldOfEachServerWhileTheFactoryIsOpen(@TempDir Path folder) throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("dev.interlock.Server").withPeriod(Duration.ofMillis(20));
            DistributedLockFactory factory = redis.factory();
            redis.warmUp(factory);
            recording.start();
            Path file = folder.resolve("servers.jfr");
            List<String> servers = List.of(address(0), address(1), address(2));
            List<RecordedEvent> events = new ArrayList<>();
            await().atMost(Fixture.PATIENCE)
                    .ignoreExceptionsInstanceOf(LockBackendException.class)
                    .until(() -> {
                        // A server votes before it has been asked for a lock, and has no latency until then.
                        pair(factory, "recorded");
                        recording.dump(file);
                        events.clear();
                        // The JVM may have other recordings, and other factories.
                        RecordingFile.readAllEvents(file).stream()
                                .filter(event -> event.getEventType().getName().equals("dev.interlock.Server"))
                                .filter(event -> servers.contains(event.getString("server")))
                                .filter(event -> event.getBoolean("voting") && event.getLong("latency") > 0)
                                .forEach(events::add);
                        return events.stream()
                                        .map(event -> event.getString("server"))
                                        .distinct()
                                        .count()
                                == servers.size();
                    });
            assertThat(events).allMatch(event -> event.getString("strategy").equals("redlock"));
        }
    }

    @Test
    void aListenerOfTheConfigurationHearsOfEachAttemptAndCannotSpoilIt() {
        List<AttemptReport> reports = Fixture.reports();
        AttemptReport.Listener failing = report -> {
            throw new IllegalStateException("a listener of the test fails");
        };
        DistributedLockFactory factory = redis.factory(
                config -> Fixture.trusting(config).listener(failing).listener((AttemptReport.Listener) reports::add));

        pair(factory, "heard");

        assertThat(reports).anyMatch(report -> report.lockName().equals(ledElsewhere("heard")));
        Set<String> nodes =
                reports.get(0).nodes().stream().map(NodeReport::node).collect(Collectors.toCollection(TreeSet::new));
        assertThat(nodes).hasSize(3);
    }
}
