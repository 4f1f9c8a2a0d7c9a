// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.AttemptReport;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.NodeReport.Vote;
import dev.interlock.redlock.QueueFixture;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.spi.Assumption;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy.Trap;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.ServerClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Servers that may have forgotten locks do not vote, whatever they claim about their age. All assertions here hold for
 * {@link #MAX_LEASE}, which is longer than any test.
 */
@Execution(ExecutionMode.CONCURRENT) // Each test has servers of its own.
class BirthTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(Long.getLong("interlock.test.max-lease-seconds", 120));

    private final Fixture redis = new Fixture(3);
    private final List<AttemptReport> reports = Fixture.reports();

    @AfterEach
    void stop() {
        redis.close();
    }

    private static LockConfig.Builder guarded(LockConfig.Builder config) {
        return Fixture.trusting(config)
                .option("cold-start", "wait")
                .option("max-lease", MAX_LEASE.toString())
                .lockDefaults(Fixture.unrenewed(MAX_LEASE));
    }

    /** Makes a client for which all servers vote, since clients have watched them for long. */
    private DistributedLockFactory client() {
        DistributedLockFactory factory = redis.reporting(BirthTest::guarded, reports);
        await().atMost(MAX_LEASE.plus(Fixture.PATIENCE))
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    DistributedLock lock = factory.getLock("warm-up");
                    redis.growOld(MAX_LEASE.multipliedBy(2));
                    lock.lock();
                    boolean all = redis.takenOn("warm-up").size() == redis.servers.size();
                    lock.unlock();
                    return all;
                });
        reports.clear();
        return factory;
    }

    private void assertStandsAside(DistributedLockFactory factory, String name, int... servers) {
        LockBackendException failure = catchThrowableOfType(
                LockBackendException.class, () -> factory.getLock(name).tryLock());

        assertThat(failure).as("the exception of the attempt").isNotNull();
        assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
        AttemptReport report = reports.get(reports.size() - 1);
        for (int server : servers) {
            assertThat(report.nodes().get(server).vote()).as("%s", report).isEqualTo(Vote.STANDS_ASIDE);
        }
    }

    @Test
    void aServerThatWasFlushedGivesNoVote() throws Exception {
        DistributedLockFactory first = client();
        DistributedLockFactory second = client();
        LockHandle lease = redis.acquireEverywhere(first.getLock("work"));

        redis.servers.get(1).command("FLUSHALL");
        redis.servers.get(2).command("FLUSHALL");

        assertStandsAside(second, "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aServerThatKnowsNoScriptGetsTheKeysOfLocksThatAreHeld() {
        client();
        LeaseProtocol holder = redis.protocol(BirthTest::guarded, Environment.system(), (index, node) -> node, reports);
        Claim held = Fixture.claim("held");
        await().atMost(Fixture.PATIENCE).until(() -> holder.attempt(held) instanceof Attempt.Granted);
        redis.servers.get(2).command("SCRIPT", "FLUSH");
        redis.servers.get(2).command("DEL", Fixture.key("held"));
        // The answer that the script is not known comes when nobody waits for it any more.
        redis.proxies.get(2).delayReplies(Duration.ofMillis(100));

        // A server that has owed an answer for too long is not asked, so one renewal may not be enough.
        await().atMost(Fixture.PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
            assertThat(holder.renew(List.of(held))).allMatch(Renewal.Renewed.class::isInstance);
            return redis.takenOn("held").equals(List.of(0, 1, 2));
        });
    }

    /** Releases a lock while a server owes the answer to its renewal, which has a majority without that server. */
    private void assertNotRestoredBehind(BiConsumer<LeaseProtocol, Claim> release) throws Exception {
        client();
        LeaseProtocol holder = redis.protocol(
                config -> guarded(config).option("node-timeout", "60s"),
                Environment.system(),
                (index, node) -> node,
                reports);
        Claim held = heldEverywhere(holder);
        CommandMonitor last = redis.closeLater(redis.servers.get(2).monitor());
        List<CompletableFuture<Void>> renewed = Stream.of(1, 2)
                .map(node -> redis.proxies.get(node).trap(Fixture.renewScript().sha1(), Trap.HOLD_REPLY))
                .toList();
        FutureTask<List<Renewal>> renewal = Fixture.start(() -> holder.renew(List.of(held)));
        for (CompletableFuture<Void> answered : renewed) {
            answered.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        FutureTask<Void> releasing = Fixture.start(() -> {
            release.accept(holder, held);
            return null;
        });
        awaitCall(last, LeadScripts.RELEASE, "held");

        redis.proxies.get(1).heal();

        assertThat(renewal.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .allMatch(Renewal.Renewed.class::isInstance);
        redis.proxies.get(2).heal();
        releasing.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        holder.attempt(Fixture.claim("later"));
        awaitCall(last, LeadScripts.TAKE, "later");
        assertThat(redis.takenOn("held")).isEmpty();
    }

    /** Takes a lock on all servers. Retries, since a client that has just connected may not ask all of them. */
    private Claim heldEverywhere(LeaseProtocol holder) {
        return await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(
                        () -> {
                            Claim claim = Fixture.claim("held");
                            holder.attempt(claim);
                            if (redis.takenOn("held").equals(List.of(0, 1, 2))) {
                                return claim;
                            }
                            holder.release(claim);
                            redis.awaitTakenOn("held");
                            return null;
                        },
                        Objects::nonNull);
    }

    private static void awaitCall(CommandMonitor monitor, LuaScript script, String name) {
        await().atMost(Fixture.PATIENCE).until(() -> {
            monitor.sync();
            return monitor.commands().stream().anyMatch(command -> Fixture.isCall(command, script, name));
        });
    }

    @Test
    void aKeyIsNotRestoredBehindTheReleaseOfItsLock() throws Exception {
        assertNotRestoredBehind(LeaseProtocol::release);
    }

    @Test
    void aKeyIsNotRestoredBehindTheReleaseOfAllLocks() throws Exception {
        assertNotRestoredBehind((holder, held) -> holder.releaseAll(List.of(held)));
    }

    @Test
    void aServerThatWasFlushedGivesNoVoteToAClientThatComesLater() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));

        redis.servers.get(1).command("FLUSHALL");
        redis.servers.get(2).command("FLUSHALL");

        assertStandsAside(redis.reporting(BirthTest::guarded, reports), "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("deep")
    void aReplicaThatWasPromotedGivesNoVoteToAClientThatComesLater() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        for (int i : new int[] {1, 2}) {
            RedisServer primary = redis.servers.get(i);
            primary.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
            RedisServer replica =
                    redis.closeLater(RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port())));
            await().atMost(Fixture.PATIENCE)
                    .until(() -> String.valueOf(replica.command("INFO", "replication"))
                            .contains("master_link_status:up"));
            replica.command("REPLICAOF", "NO", "ONE");
            replica.command("DEL", Fixture.key("work"));
            redis.proxies.get(i).redirect("127.0.0.1", replica.port());
        }

        assertStandsAside(redis.reporting(BirthTest::guarded, reports), "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("deep")
    void aServerThatBecameAReplicaForAMomentGivesNoVote() throws Exception {
        DistributedLockFactory first = client();
        DistributedLockFactory second = client();
        LockHandle lease = redis.acquireEverywhere(first.getLock("work"));
        RedisServer empty = redis.closeLater(RedisServer.start("--repl-diskless-sync-delay", "0"));
        for (int i : new int[] {1, 2}) {
            RedisServer server = redis.servers.get(i);
            server.command("REPLICAOF", "127.0.0.1", Integer.toString(empty.port()));
            await().atMost(Fixture.PATIENCE).until(() -> server.command("GET", Fixture.key("work")) == null);
            server.command("REPLICAOF", "NO", "ONE");
        }

        assertStandsAside(second, "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void anEmptyServerInTheOldOnesPlaceGivesNoVoteToAClientThatComesLater() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        for (int i : new int[] {1, 2}) {
            redis.proxies
                    .get(i)
                    .redirect("127.0.0.1", redis.closeLater(RedisServer.start()).port());
        }

        assertStandsAside(redis.reporting(BirthTest::guarded, reports), "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aServerThatSaysThatItHasRunForLongGivesNoVoteBeforeAClientHasWatchedIt() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        redis.servers.get(1).restart();
        redis.servers.get(2).restart();
        // Simulates servers whose clocks were stepped forward after they started.
        LeaseProtocol second = redis.protocol(
                BirthTest::guarded, Environment.system(), (index, node) -> new OldLookingNode(node), reports);

        assertThat(second.attempt(Fixture.claim("work", MAX_LEASE))).isInstanceOf(Attempt.Failed.class);
        assertThat(reports.get(reports.size() - 1).nodes().get(1).vote()).isEqualTo(Vote.STANDS_ASIDE);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("deep")
    void aServerWhoseClockIsSteppedForwardAfterItStartedGivesNoVoteBeforeAClientHasWatchedIt() throws Exception {
        assumeThat(ServerClock.obstacle())
                .as("absent: server-clock: a clock to step")
                .isEmpty();
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        for (int i : new int[] {1, 2}) {
            redis.servers.get(i).restart();
            redis.servers.get(i).stepClock(MAX_LEASE.multipliedBy(2));
            await().atMost(Fixture.PATIENCE).until(() -> redis.uptimeSeconds(i) > MAX_LEASE.toSeconds());
        }

        assertStandsAside(redis.reporting(BirthTest::guarded, reports), "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aHolderLearnsFromTheOthersThatAProcessThatStillAnswersItHasASuccessor() throws Exception {
        client();
        redis.proxies.get(2).refuse();
        LeaseProtocol holder = redis.protocol(BirthTest::guarded, Environment.system(), (index, node) -> node, reports);
        Claim claim = Fixture.claim("work", MAX_LEASE);
        assertThat(holder.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        assertThat(holder.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
        redis.proxies.get(2).accept();
        // The holder goes on over its present connection.
        redis.proxies
                .get(1)
                .redirect("127.0.0.1", redis.closeLater(RedisServer.start()).port());
        LeaseProtocol second = redis.protocol(BirthTest::guarded, Environment.system(), (index, node) -> node, reports);

        assertThat(second.attempt(Fixture.claim("work", MAX_LEASE)))
                .as("what the new process and the server that the holder does not reach grant")
                .isNotInstanceOf(Attempt.Granted.class);

        await("the old process has no voice any more")
                .atMost(Fixture.PATIENCE)
                .until(() -> !(holder.renew(List.of(claim)).get(0) instanceof Renewal.Renewed));
        for (int i = 0; i < 5; i++) {
            assertThat(holder.renew(List.of(claim))).first().isNotInstanceOf(Renewal.Renewed.class);
        }
    }

    @Test
    void whatWasWatchedBeforeAnotherNodeKnewOfAProcessDoesNotCountForAClientThatComesLater() {
        LeaseProtocol first = redis.protocol(BirthTest::guarded, Environment.system(), (index, node) -> node, reports);
        Claim claim = Fixture.claim("work", MAX_LEASE);
        await("the nodes agree on the list")
                .atMost(Fixture.PATIENCE)
                .until(() -> first.attempt(claim) instanceof Attempt.Failed
                        && "1".equals(recorded(1, "founded"))
                        && "1".equals(recorded(2, "founded")));
        redis.proxies.get(0).refuse();
        redis.servers.get(0).restart();
        redis.servers.get(1).restart();
        redis.servers.get(2).restart();
        await("the other two have records")
                .atMost(Fixture.PATIENCE)
                .until(() -> first.attempt(claim) instanceof Attempt.Failed
                        && recorded(1, "peer:2") != null
                        && recorded(2, "peer:1") != null);
        // Makes it look as if clients had watched the process for long, but not long enough.
        long watched = MAX_LEASE.toMillis() / 2;
        redis.servers.get(1).command("HSET", "interlock:birth", "age", Long.toString(watched));
        redis.proxies.get(0).accept();

        await("the node that was away knows of the process")
                .atMost(Fixture.PATIENCE)
                .until(() -> first.attempt(claim) instanceof Attempt.Failed && recorded(0, "peer:1") != null);

        await("the time begins anew for all clients")
                .atMost(Fixture.PATIENCE)
                .until(() -> Long.parseLong(String.valueOf(recorded(1, "age"))) < watched);
    }

    private @Nullable Object recorded(int server, String field) {
        return redis.servers.get(server).command("HGET", "interlock:birth", field);
    }

    @Test
    void aBirthKeepsTheLongestLeaseAndTakesNoAgeThatWasMeasuredOfAnotherOne() {
        enrol("run-a", "60000", "birth-a", "", "0");
        enrol("run-b", "1000", "birth-b", "", "0");
        enrol("run-b", "1000", "birth-c", "birth-a", "50000");

        assertThat(recorded(0, "birth")).isEqualTo("birth-b");
        assertThat(recorded(0, "lease")).isEqualTo("60000");
        assertThat(recorded(0, "age")).isEqualTo("0");

        enrol("run-b", "1000", "birth-d", "birth-b", "50000");

        assertThat(recorded(0, "age")).isEqualTo("50000");
    }

    private void enrol(String run, String lease, String birth, String watched, String age) {
        try (InputStream source = BirthTest.class.getResourceAsStream("enrol.lua")) {
            String script = new String(source.readAllBytes(), StandardCharsets.UTF_8);
            redis.servers
                    .get(0)
                    .command(
                            "EVAL",
                            script,
                            "1",
                            "interlock:birth",
                            run,
                            "default",
                            "0 2 0=a:1 1=b:2 2=c:3",
                            "0",
                            "founded",
                            lease,
                            birth,
                            "7",
                            watched,
                            age,
                            "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("deep")
    void aShorterMaxLeaseDoesNotLetAServerVoteEarlier() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        redis.servers.get(1).restart();
        redis.servers.get(2).restart();
        Duration shorter = Duration.ofSeconds(2);
        DistributedLockFactory second = redis.reporting(
                config -> guarded(config)
                        .option("max-lease", shorter.toString())
                        .lockDefaults(Fixture.unrenewed(shorter)),
                reports);

        await("the shorter time is over").atMost(Fixture.PATIENCE).until(() -> {
            assertThat(catchThrowableOfType(
                            LockBackendException.class,
                            () -> second.getLock("work").tryLock()))
                    .isNotNull();
            return reports.stream()
                    .anyMatch(report -> report.nodes().get(1).vote() == Vote.STANDS_ASIDE
                            && redis.uptimeSeconds(1) > 2 * shorter.toSeconds());
        });
        assertStandsAside(second, "work", 1, 2);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aClientThatTrustsServersIsRefusedWhereOthersDoNot() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        redis.servers.get(2).restart();
        redis.servers.get(1).command("DEL", Fixture.key("work"));
        DistributedLockFactory trusting = redis.factory();

        LockBackendException failure = catchThrowableOfType(
                LockBackendException.class, () -> trusting.getLock("work").tryLock());

        assertThat(failure).isNotNull().hasMessageContaining("cold-start");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aServerThatTwoClustersNameVotesInNeither() throws Exception {
        DistributedLockFactory first = client();
        LockHandle lease = redis.acquireEverywhere(first.getLock("work"));
        DistributedLockFactory second =
                redis.reporting(config -> guarded(config).option("cluster", "another"), reports);

        // A client that has not heard from a server in time says less at first.
        for (DistributedLockFactory client : List.of(second, first)) {
            await().atMost(Fixture.PATIENCE).untilAsserted(() -> assertStandsAside(client, "free", 0, 1, 2));
        }

        assertThat(lease.isValid()).as("what was held before").isTrue();
        assertThat(redis.takenOn("free")).isEmpty();
    }

    @Test
    void aClientThatNamesFewerServersAsksAllThatTheNodesKnow() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        redis.servers.get(0).command("DEL", Fixture.key("work"));
        assertIsRefused(config -> guarded(config).endpoints(redis.proxies.get(0).uri()));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aClientThatNamesTheServersInAnotherOrderAsksThemInTheOrderThatTheNodesKnow() throws Exception {
        LockHandle lease = redis.acquireEverywhere(client().getLock("work"));
        redis.servers.get(0).command("DEL", Fixture.key("work"));
        assertIsRefused(config -> guarded(config)
                .endpoints(redis.proxies.get(1).uri() + ","
                        + redis.proxies.get(0).uri() + ","
                        + redis.proxies.get(2).uri()));
        assertThat(lease.isValid()).isTrue();
    }

    /** Two of the servers hold the lock for somebody else, and the other one would grant it. */
    private void assertIsRefused(UnaryOperator<LockConfig.Builder> options) {
        DistributedLock lock = redis.reporting(options, reports).getLock("work");
        await("it has found all nodes")
                .atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    assertThat(lock.tryLock()).isFalse();
                    return reports.get(reports.size() - 1).nodes().stream()
                                    .filter(node -> node.vote() == Vote.REFUSED)
                                    .count()
                            == 2;
                });
    }

    @Test
    @Tag("deep")
    void whatOneClientHasWatchedCountsForTheNext() {
        Duration shorter = Duration.ofSeconds(2);
        UnaryOperator<LockConfig.Builder> options = config ->
                guarded(config).option("max-lease", shorter.toString()).lockDefaults(Fixture.unrenewed(shorter));
        DistributedLockFactory first = redis.factory(options);
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> first.getLock("warm-up").tryLock()
                        && redis.servers.stream()
                                .allMatch(server ->
                                        Long.parseLong(String.valueOf(server.command("HGET", "interlock:birth", "age")))
                                                > shorter.toMillis()));

        assertThat(redis.factory(options).getLock("work").tryLock()).isTrue();
    }

    @Test
    @Tag("deep")
    void notSafeAServerWhoseImageWasRolledBackVotesAtOnce() throws Exception {
        String name = nameWithLead(1);
        DistributedLockFactory first = client();
        for (RedisServer server : redis.servers.subList(1, 3)) {
            server.command("COPY", "interlock:birth", "interlock:birth", "DB", "1");
        }
        LockHandle lease = redis.acquireEverywhere(first.getLock(name));
        redis.servers.subList(1, 3).forEach(server -> server.command("SWAPDB", "0", "1"));

        assertThat(redis.factory(BirthTest::guarded).getLock(name).tryLock()).isTrue();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("deep")
    void notSafeAServerThatLosesTheKeyOfALockAloneVotesAtOnce() throws Exception {
        String name = nameWithLead(1);
        LockHandle lease = redis.acquireEverywhere(client().getLock(name));
        redis.servers.subList(1, 3).forEach(server -> server.command("DEL", Fixture.key(name)));

        assertThat(redis.factory(BirthTest::guarded).getLock(name).tryLock()).isTrue();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("deep")
    void notSafeAServerWhoseClockIsSteppedBeyondTheEndOfALeaseVotesForTheNextHolder() throws Exception {
        assumeThat(ServerClock.obstacle())
                .as("absent: server-clock: a clock to step")
                .isEmpty();
        String name = nameWithLead(1);
        DistributedLockFactory first = client();
        redis.proxies.get(2).refuse();
        LockHandle lease = await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> first.getLock(name).acquire(), Objects::nonNull);
        assertThat(redis.takenOn(name)).as("the majority of the holder").containsExactly(0, 1);
        redis.proxies.get(2).accept();
        DistributedLock second = redis.factory(BirthTest::guarded).getLock(name);
        assertThat(second.tryLock()).as("granted before the step").isFalse();

        // Less than what is left of the lease: the key stays.
        redis.servers.get(1).stepClock(MAX_LEASE.dividedBy(4));
        assertThat(second.tryLock()).as("granted after a step within the lease").isFalse();
        redis.servers.get(1).stepClock(MAX_LEASE);
        Optional<LockHandle> late = second.tryAcquire();

        assertThat(late).as("the second holder").isPresent();
        assertThat(lease.isValid()).as("the first one's lease is valid").isTrue();
        assertThat(late.get().fencingToken().getAsLong())
                .isGreaterThan(lease.fencingToken().getAsLong());
        assertThat(first.profile().assumptions()).contains(Assumption.SERVER_CLOCK_STEADY);
    }

    /** The refusal of the lead, if it arrives in time, outvotes a majority of the others. */
    private static String nameWithLead(int node) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "work-" + i)
                .filter(name -> QueueFixture.lead(name) == node)
                .findFirst()
                .orElseThrow();
    }

    /** A server that says that it has run for years. */
    private record OldLookingNode(RedisNode node) implements RedisNode {
        @Override
        public RedisLink openLink(Duration timeout) {
            RedisLink link = node.openLink(timeout);
            return new RedisLink() {
                @Override
                public Sent send(RedisCommand command, Consumer<Reply> onReply) {
                    return link.send(
                            command,
                            reply -> onReply.accept(
                                    reply instanceof Reply.Value value && value.value() instanceof String text
                                            ? new Reply.Value(text.replaceAll(
                                                    "uptime_in_seconds:\\d+", "uptime_in_seconds:99999999"))
                                            : reply));
                }

                @Override
                public void readInBackground() {
                    link.readInBackground();
                }

                @Override
                public boolean isOpen() {
                    return link.isOpen();
                }

                @Override
                public void close() {
                    link.close();
                }
            };
        }

        @Override
        public @Nullable Object call(RedisCommand command, Duration timeout) {
            return node.call(command, timeout);
        }

        @Override
        public @Nullable Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout) {
            return node.callOrUndo(command, undo, timeout);
        }

        @Override
        public List<RedisLink.Reply> callInOrder(
                List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout) {
            return node.callInOrder(commands, undo, timeout);
        }

        @Override
        public Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout) {
            return node.callAcknowledged(command, wanted, timeout);
        }

        @Override
        public @Nullable String transactIfEqual(
                String key, String expected, List<RedisCommand> commands, Duration timeout) {
            return node.transactIfEqual(key, expected, commands, timeout);
        }

        @Override
        public Watch subscribe(String channel, Listener listener) {
            return node.subscribe(channel, listener);
        }

        @Override
        public void close() {
            node.close();
        }
    }
}
