// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink.Reply;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNode.Acknowledged;
import dev.interlock.redis.client.ThreadListingEnvironment;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of every {@link RedisNode}, whatever client library is behind it. */
abstract class RedisNodeContract {
    static final Duration LONG = Duration.ofSeconds(20);
    static final Duration SHORT = Duration.ofMillis(300);

    /** A time-out for calls that wait for an acknowledgement, of which a quarter is left for the reply. */
    private static final Duration SHORT_WAIT = Duration.ofSeconds(2);

    static final LockConfig CONFIG = LockConfig.builder().commandTimeout(LONG).build();

    /** How often a call is made that a busy machine may keep from being sent. */
    static final int TRIES = 10;

    static final String SECRET = "s3cret/t0ken+with:odd@characters";
    static final RedisCommand PING = RedisCommand.of("PING");
    private static final List<RedisCommand> IN_ORDER = List.of(
            RedisCommand.of("SET", "k", SECRET, "NX", "PX", "60000"),
            RedisCommand.of("INCRBY", "k", "1"),
            RedisCommand.of("EXISTS", "k"));
    static final RedisCommand TAKE = RedisCommand.of("SET", "k", SECRET, "NX", "PX", "60000");
    static final RedisCommand BLOCKING = RedisCommand.of("BLPOP", "list", "0");
    private static final LuaScript COMPARE_AND_DELETE = LuaScript.of(
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end");
    private static final RedisCommand UNDO = RedisCommand.script(COMPARE_AND_DELETE, List.of("k"), List.of(SECRET));

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Opens a node, and whatever it needs; what must be closed apart from the node goes to {@link #closeLater}. */
    abstract RedisNode open(String uri, Environment env);

    /** Returns how messages of the node name the server. */
    String nameInMessages(RedisServer server) {
        return ":" + server.port();
    }

    /** Returns whether the node can send something behind a command whose reply is late. */
    boolean canUndo() {
        return true;
    }

    /** Returns whether the node makes sure that a new connection works before it sends something that counts. */
    boolean probesNewConnections() {
        return true;
    }

    final <T extends AutoCloseable> T closeLater(T resource) {
        open.push(resource);
        return resource;
    }

    @AfterEach
    final void closeAll() throws Exception {
        Thread.interrupted();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    final RedisServer start(String... extraArgs) {
        return closeLater(RedisServer.start(extraArgs));
    }

    final RedisNode node(String uri) {
        return node(uri, Environment.system());
    }

    final RedisNode node(String uri, Environment env) {
        return closeLater(open(uri, env));
    }

    static LockBackendException failure(Runnable call) {
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, call::run);
        assertThat(failure).as("a failure").isNotNull();
        StringWriter all = new StringWriter();
        failure.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(SECRET).doesNotContain("hunter2");
        assertThat(failure.getMessage()).doesNotContain("\n").hasSizeLessThan(400);
        return failure;
    }

    /**
     * Makes a call over an idle connection on which no reply comes. Again where a busy machine took so long that the
     * node found out before it sent anything.
     *
     * @param use uses the connection that the call will take
     * @param pause makes the server or the network silent
     * @param resume ends that
     * @return the failure; the server or the network is still silent
     */
    static LockBackendException unanswered(Runnable use, Runnable pause, Runnable resume, Runnable call) {
        for (int i = 0; i < TRIES; i++) {
            use.run();
            pause.run();
            LockBackendException failure = failure(call);
            if (failure.reason() != UNREACHABLE) {
                return failure;
            }
            resume.run();
        }
        throw new AssertionError("never sent");
    }

    static long count(CommandMonitor monitor, String name) {
        return monitor.commands().stream()
                .filter(command -> command.get(0).equalsIgnoreCase(name))
                .count();
    }

    /** The ids of a server's clients but for this test's own. */
    static List<String> clients(RedisServer server) {
        return String.valueOf(server.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> !line.contains("name=" + RedisServer.CLIENT_NAME))
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    static void awaitBlockedClients(RedisServer server, int number) {
        await().atMost(LONG)
                .until(() -> String.valueOf(server.command("INFO", "clients"))
                        .contains("blocked_clients:" + number + "\r\n"));
    }

    @Test
    void repliesOfEveryKindAreReturned() {
        RedisNode node = node(start().uri());

        assertThat(node.call(RedisCommand.of("SET", "k", "grün\r\n"), LONG)).isEqualTo("OK");
        assertThat(node.call(RedisCommand.of("GET", "k"), LONG)).isEqualTo("grün\r\n");
        assertThat(node.call(RedisCommand.of("GET", "absent"), LONG)).isNull();
        assertThat(node.call(RedisCommand.of("SET", "empty", ""), LONG)).isEqualTo("OK");
        assertThat(node.call(RedisCommand.of("GET", "empty"), LONG)).isEqualTo("");
        assertThat(node.call(RedisCommand.of("INCR", "n"), LONG)).isEqualTo(1L);
        assertThat(node.call(RedisCommand.of("LRANGE", "absent", "0", "-1"), LONG))
                .isEqualTo(List.of());
        assertThat(node.call(RedisCommand.of("MGET", "n", "absent", "k"), LONG))
                .isEqualTo(Arrays.asList("1", null, "grün\r\n"));
        LuaScript nested = LuaScript.of("return {1, {}, {'a', {2, false}, {}}, 'b'}");
        assertThat(node.call(RedisCommand.script(nested, List.of(), List.of()), LONG))
                .isEqualTo(List.of(1L, List.of(), List.of("a", Arrays.asList(2L, null), List.of()), "b"));
        assertThat(String.valueOf(node.call(RedisCommand.of("INFO", "server"), LONG)))
                .contains("run_id:");
    }

    @Test
    void aScriptIsSentInFullOnlyWhereTheServerDoesNotKnowIt() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        node.call(PING, LONG);
        LuaScript script = LuaScript.of("return {KEYS[1], ARGV[1]}");
        RedisCommand call = RedisCommand.script(script, List.of("key"), List.of("arg"));
        try (CommandMonitor monitor = server.monitor()) {
            assertThat(node.call(call, LONG)).isEqualTo(List.of("key", "arg"));
            assertThat(node.call(call, LONG)).isEqualTo(List.of("key", "arg"));
            server.command("SCRIPT", "FLUSH");
            assertThat(node.callOrUndo(call, () -> PING, LONG)).isEqualTo(List.of("key", "arg"));

            assertThat(monitor.commands())
                    .extracting(command -> command.get(0))
                    .containsExactly("EVALSHA", "EVAL", "EVALSHA", "EVALSHA", "EVAL");
        }
    }

    @Test
    void aCommandWhoseReplyIsLateIsUndoneRightBehindIt() {
        assumeThat(canUndo())
                .as("this client sends nothing more on a connection whose reply was late")
                .isTrue();
        RedisServer server = start();
        RedisNode node = node(server.uri());
        try (CommandMonitor monitor = server.monitor()) {
            LockBackendException failure = unanswered(
                    () -> node.call(PING, LONG),
                    server::pause,
                    server::resume,
                    () -> node.callOrUndo(TAKE, () -> UNDO, SHORT));
            server.resume();

            assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
            assertThat(failure).hasMessageContaining("SET").hasMessageContaining(SHORT.toString());
            await().atMost(LONG).until(() -> count(monitor, "EVAL") == 1);
            assertThat(server.command("GET", "k")).isNull();
            assertThat(monitor.commands()).extracting(command -> command.get(0)).containsSubsequence("SET", "EVAL");
        }
    }

    @Test
    void theUndoArrivesThroughANetworkThatWasStuck() {
        assumeThat(canUndo())
                .as("this client sends nothing more on a connection whose reply was late")
                .isTrue();
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        try (CommandMonitor monitor = server.monitor()) {
            LockBackendException failure = unanswered(
                    () -> node.call(PING, LONG),
                    proxy::blackhole,
                    proxy::heal,
                    () -> node.callOrUndo(TAKE, () -> UNDO, SHORT));
            assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
            proxy.heal();

            await().atMost(LONG).until(() -> count(monitor, "EVAL") == 1);
            assertThat(server.command("GET", "k")).isNull();
        }
    }

    @Test
    void aCommandThatIsLateIsNotSentAgainAndTheNextOneWorks() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        try (CommandMonitor monitor = server.monitor()) {
            LockBackendException failure = unanswered(
                    () -> node.call(PING, LONG), server::pause, server::resume, () -> node.call(TAKE, SHORT));
            assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
            server.resume();

            await().atMost(LONG).until(() -> count(monitor, "SET") == 1);
            assertThat(node.call(RedisCommand.of("GET", "k"), LONG)).isEqualTo(SECRET);
            assertThat(count(monitor, "SET")).isEqualTo(1);
        }
    }

    @Test
    void aServerThatDoesNotAnswerToANewConnectionIsUnreachableAndNothingIsSent() {
        assumeThat(probesNewConnections())
                .as("this client opens its connections itself, and does not mind if they do not work")
                .isTrue();
        RedisServer server = start();
        RedisNode node = node(server.uri());
        try (CommandMonitor monitor = server.monitor()) {
            server.pause();
            assertThat(failure(() -> node.call(TAKE, SHORT)).reason()).isEqualTo(UNREACHABLE);
            server.resume();

            await().atMost(LONG).until(() -> "PONG".equals(node.call(PING, LONG)));
            assertThat(count(monitor, "SET")).isZero();
        }
    }

    @Test
    void aServerThatIsNotThereIsUnreachable() {
        FaultProxy proxy = closeLater(FaultProxy.to(start()));
        proxy.refuse();
        RedisNode node = node(proxy.uri());

        LockBackendException failure = failure(() -> node.call(TAKE, LONG));

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        assertThat(failure).hasMessageContaining("check that it runs");
    }

    @Test
    void aHostThatIsUnknownIsUnreachable() {
        RedisNode node = node("redis://no-such-host.invalid:6379");

        assertThat(failure(() -> node.call(TAKE, LONG)).reason()).isEqualTo(UNREACHABLE);
    }

    @Test
    void aLostReplyLeavesTheOutcomeUnknownAndNothingIsSentAgain() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        node.call(PING, LONG);
        try (CommandMonitor monitor = server.monitor()) {
            proxy.trap(SECRET, FaultProxy.Trap.LOSE_REPLY);

            LockBackendException failure = failure(() -> node.callOrUndo(TAKE, () -> UNDO, LONG));

            assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
            assertThat(failure).hasMessageContaining("may have been carried out");
            assertThat(node.call(RedisCommand.of("GET", "k"), LONG)).isEqualTo(SECRET);
            assertThat(count(monitor, "SET")).isEqualTo(1);
            assertThat(count(monitor, "EVAL")).isZero();
        }
    }

    @Test
    void commandsInOrderAreAllCarriedOutWhateverBecomesOfThoseBefore() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        for (int i = 0; i < 2; i++) {
            server.command("DEL", "k");
            List<Reply> replies = node.callInOrder(IN_ORDER, () -> UNDO, LONG);
            assertThat(replies).hasSize(3);
            assertThat(replies.get(0)).isEqualTo(new Reply.Value("OK"));
            assertThat(replies.get(1))
                    .isInstanceOfSatisfying(
                            Reply.Failed.class,
                            failed -> assertThat(failed.cause().reason()).isEqualTo(REFUSED));
            assertThat(replies.get(2)).isEqualTo(new Reply.Value(1L));
        }
        assertThat(node.call(PING, LONG)).isEqualTo("PONG");
    }

    @Test
    void commandsInOrderAreSentInOneGoAndUndoneRightBehind() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        try (CommandMonitor monitor = server.monitor()) {
            LockBackendException failure = unanswered(
                    () -> node.call(PING, LONG),
                    server::pause,
                    server::resume,
                    () -> node.callInOrder(IN_ORDER, () -> UNDO, SHORT));
            server.resume();

            assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
            await().atMost(LONG).until(() -> count(monitor, "EXISTS") == 1);
            if (canUndo()) {
                await().atMost(LONG).until(() -> count(monitor, "EVAL") == 1);
                assertThat(server.command("GET", "k")).isNull();
            }
            assertThat(monitor.commands())
                    .extracting(command -> command.get(0))
                    .containsSubsequence("SET", "INCRBY", "EXISTS")
                    .containsOnlyOnce("SET", "INCRBY", "EXISTS");
        }
    }

    @Test
    void lostRepliesToCommandsInOrderLeaveTheOutcomeUnknownAndNothingIsSentAgain() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        node.call(PING, LONG);
        try (CommandMonitor monitor = server.monitor()) {
            proxy.trap(SECRET, FaultProxy.Trap.LOSE_REPLY);
            assertThat(failure(() -> node.callInOrder(IN_ORDER, () -> UNDO, LONG))
                            .reason())
                    .isEqualTo(OUTCOME_UNKNOWN);
            assertThat(node.call(RedisCommand.of("GET", "k"), LONG)).isEqualTo(SECRET);
            assertThat(count(monitor, "SET")).isEqualTo(1);
        }
    }

    @Test
    void whatHasPerhapsLeftInPartIsNotSentAgain() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        node.call(PING, LONG);
        CompletableFuture<Void> left = proxy.trap(SECRET, FaultProxy.Trap.HOLD_REQUEST);
        // More than all buffers on the way take, so that the last command cannot leave.
        List<RedisCommand> commands = List.of(TAKE, RedisCommand.of("SET", "large", "x".repeat(24 << 20)));
        CompletableFuture<LockBackendException> failure =
                CompletableFuture.supplyAsync(() -> failure(() -> node.callInOrder(commands, () -> UNDO, LONG)));
        left.get(20, TimeUnit.SECONDS);
        await().during(Duration.ofMillis(300)).atMost(LONG).until(() -> !failure.isDone());
        proxy.cutConnections();
        proxy.heal();
        assertThat(failure.get(20, TimeUnit.SECONDS).reason()).isEqualTo(OUTCOME_UNKNOWN);
        assertThat(node.call(RedisCommand.of("EXISTS", "large"), LONG)).isEqualTo(0L);
    }

    @Test
    void commandsInOrderAreNotSentWhereThereIsNoServer() {
        FaultProxy proxy = closeLater(FaultProxy.to(start()));
        proxy.refuse();
        RedisNode node = node(proxy.uri());
        assertThat(failure(() -> node.callInOrder(IN_ORDER, () -> UNDO, LONG)).reason())
                .isEqualTo(UNREACHABLE);
    }

    @Test
    void aCommandThatWasCutOffIsNotSentAgain() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        node.call(PING, LONG);
        try (CommandMonitor monitor = server.monitor()) {
            CompletableFuture<LockBackendException> failure =
                    CompletableFuture.supplyAsync(() -> failure(() -> node.call(BLOCKING, LONG)));
            awaitBlockedClients(server, 1);
            proxy.cutConnections();

            assertThat(failure.get(20, TimeUnit.SECONDS).reason()).isEqualTo(OUTCOME_UNKNOWN);
            node.call(PING, LONG);
            assertThat(count(monitor, "BLPOP")).isEqualTo(1);
        }
    }

    @Test
    void aCommandIsRejectedWhileTheServerIsAwayAndNotKeptForLater() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        node.call(PING, LONG);
        proxy.refuse();
        await().atMost(LONG).until(() -> failure(() -> node.call(PING, LONG)).reason() == UNREACHABLE);

        assertThat(failure(() -> node.call(TAKE, LONG)).reason()).isEqualTo(UNREACHABLE);
        proxy.accept();

        assertThat(node.call(PING, LONG)).isEqualTo("PONG");
        assertThat(server.command("GET", "k")).isNull();
    }

    /** Uses several connections at once, if the node ever does, and leaves them idle. */
    void useManyConnections(RedisServer server, RedisNode node) throws Exception {
        node.call(PING, LONG);
    }

    @Test
    void aRestartCostsOneFailureAtMost() throws Exception {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        useManyConnections(server, node);

        server.restart();
        try {
            node.call(PING, LONG);
        } catch (LockBackendException e) {
            assertThat(e.reason()).isIn(OUTCOME_UNKNOWN, UNREACHABLE);
        }

        useManyConnections(server, node);
    }

    @Test
    void wrongAndMissingPasswordsAreRefused() {
        RedisServer server = start("--requirepass", "hunter2");
        String hostAndPort = "127.0.0.1:" + server.port();

        LockBackendException missing =
                failure(() -> node("redis://" + hostAndPort).call(PING, LONG));
        LockBackendException wrong =
                failure(() -> node("redis://:hunter22@" + hostAndPort).call(PING, LONG));

        assertThat(missing.reason()).isEqualTo(REFUSED);
        assertThat(missing).hasMessageContaining("NOAUTH").hasMessageContaining("password");
        assertThat(wrong.reason()).as(wrong.toString()).isEqualTo(REFUSED);
        assertThat(wrong).hasMessageContaining("WRONGPASS");
        RedisNode right = node("redis://:hunter2@" + hostAndPort);
        assertThat(right.call(PING, LONG)).isEqualTo("PONG");
        assertThat(right.toString()).doesNotContain("hunter2");
    }

    @Test
    void theDatabaseOfTheEndpointIsUsed() {
        RedisServer server = start();

        node(server.uri() + "/3").call(RedisCommand.of("SET", "k", "three"), LONG);

        assertThat(server.command("GET", "k")).isNull();
        server.command("SELECT", "3");
        assertThat(server.command("GET", "k")).isEqualTo("three");
    }

    @Test
    void errorsOfTheServerAreRefusalsThatRepeatNoArgument() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("LPUSH", "list", "x");
        server.command("ACL", "SETUSER", "default", "-get");

        List<LockBackendException> failures = List.of(
                failure(() -> node.call(RedisCommand.of("INCR", "list"), LONG)),
                failure(() -> node.call(RedisCommand.of("GET", "list"), LONG)),
                failure(() -> node.call(RedisCommand.of("NOSUCH", "x", SECRET, "y"), LONG)),
                failure(() -> node.call(RedisCommand.of("NOSUCH", "x".repeat(115), SECRET), LONG)),
                failure(() -> node.call(
                        RedisCommand.script(
                                LuaScript.of("return redis.error_reply('ERR ' .. ARGV[1] .. string.rep('x', 1000))"),
                                List.of(),
                                List.of(SECRET)),
                        LONG)),
                failure(() -> node.call(
                        RedisCommand.script(
                                LuaScript.of("return {1, {redis.error_reply('ERR nested')}}"), List.of(), List.of()),
                        LONG)));

        assertThat(failures).extracting(LockBackendException::reason).containsOnly(REFUSED);
        assertThat(failures.get(0)).hasMessageContaining("INCR").hasMessageContaining("WRONGTYPE");
        assertThat(failures.get(1)).hasMessageContaining("NOPERM").hasMessageContaining("access control list");
        assertThat(failures.get(3).getMessage()).doesNotContain(SECRET.substring(0, 4));
        assertThat(node.call(PING, LONG)).isEqualTo("PONG");
    }

    @Test
    void aServerThatIsNotReadyIsUnreachable() throws Exception {
        RedisServer server = start("--lua-time-limit", "50");
        RedisNode node = node(server.uri());
        node.call(PING, LONG);
        RedisCommand endless = RedisCommand.script(LuaScript.of("while true do end"), List.of(), List.of());
        CompletableFuture<LockBackendException> killed =
                CompletableFuture.supplyAsync(() -> failure(() -> node.call(endless, LONG)));
        RedisNode other = node(server.uri());
        await().atMost(LONG).until(() -> {
            // It succeeds until the script runs.
            LockBackendException busy = catchThrowableOfType(
                    LockBackendException.class, () -> other.call(RedisCommand.of("EVAL", "return 1", "0"), SHORT));
            return busy != null
                    && busy.reason() == UNREACHABLE
                    && busy.getMessage().contains("BUSY");
        });
        server.command("SCRIPT", "KILL");

        assertThat(killed.get(20, TimeUnit.SECONDS).reason()).isEqualTo(REFUSED);
        await().atMost(LONG).until(() -> "PONG".equals(other.call(PING, LONG)));
    }

    @Test
    void aServerWithTooManyClientsIsUnreachable() {
        RedisServer server = start();
        server.command("CONFIG", "SET", "maxclients", "1");

        LockBackendException failure = failure(() -> node(server.uri()).call(TAKE, LONG));

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
    }

    @Test
    void aReadOnlyServerIsUnreachableAndAskedOverANewConnectionNextTime() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        node.call(PING, LONG);
        List<String> before = clients(server);
        server.command("REPLICAOF", "127.0.0.1", "1");
        LockBackendException failure = failure(() -> node.call(TAKE, LONG));
        server.command("REPLICAOF", "NO", "ONE");

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        assertThat(failure).hasMessageContaining("READONLY");
        assertThat(node.call(TAKE, LONG)).isEqualTo("OK");
        await().atMost(LONG).untilAsserted(() -> assertThat(clients(server)).doesNotContainAnyElementsOf(before));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN Hash slot not served",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "NOREPLICAS Not enough good replicas to write.",
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script.",
            })
    void whatAServerCannotDoJustNowIsUnreachableAndSaysWhatIsTheMatter(String error) {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        RedisCommand refused =
                RedisCommand.script(LuaScript.of("return redis.error_reply(ARGV[1])"), List.of(), List.of(error));

        LockBackendException failure = failure(() -> node.call(refused, LONG));

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        // The script repeats its argument, which is no message of ours.
        assertThat(failure).hasMessageContaining("is not ready for EVAL").hasMessageContaining("; ");
        assertThat(node.call(PING, LONG)).isEqualTo("PONG");
    }

    @Test
    void aCommandIsAcknowledgedByNoFewerThanWereAskedFor() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("SCRIPT", "FLUSH");

        assertThat(node.callAcknowledged(TAKE, new Acknowledgement(0, false), LONG))
                .isEqualTo(new Acknowledged("OK", Optional.empty()));
        assertThat(node.callAcknowledged(UNDO, new Acknowledgement(0, false), LONG)
                        .reply())
                .as("the script is sent in full")
                .isEqualTo(1L);

        assertThat(tooFew(node).shortfall().orElseThrow())
                .hasMessageMatching("0 of 2 replicas of .* acknowledged EVALSHA in time: .*")
                .extracting(LockBackendException::reason)
                .isEqualTo(UNREACHABLE);
    }

    /** Asks for replicas that do not exist; again where a busy machine reads the reply too late. */
    private static Acknowledged tooFew(RedisNode node) {
        LockBackendException tooSlow = null;
        for (int i = 0; i < 10; i++) {
            try {
                return node.callAcknowledged(UNDO, new Acknowledgement(2, false), SHORT_WAIT);
            } catch (LockBackendException e) {
                tooSlow = e;
            }
        }
        throw new AssertionError("too slow each time", tooSlow);
    }

    @Test
    void anAcknowledgementThatTheServerDoesNotKnowIsRefusedAndTheCommandIsCarriedOut() {
        RedisServer server = start();
        RedisNode node = node(server.uri());

        Acknowledged refused = node.callAcknowledged(TAKE, new Acknowledgement(0, true), LONG);

        assertThat(refused.reply()).isEqualTo("OK");
        assertThat(refused.shortfall().orElseThrow())
                .hasMessageContaining("refused WAITAOF: ERR unknown command 'WAITAOF'; it needs Redis 7.2 or newer")
                .extracting(LockBackendException::reason)
                .isEqualTo(REFUSED);
    }

    @Test
    void anErrorOfACommandIsThrownWhetherOrNotItIsAcknowledged() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("LPUSH", "k", "no string");

        LockBackendException failure =
                failure(() -> node.callAcknowledged(RedisCommand.of("INCR", "k"), new Acknowledgement(0, false), LONG));

        assertThat(failure.reason()).isEqualTo(REFUSED);
        assertThat(failure).hasMessageContaining("WRONGTYPE");
    }

    @Test
    void aReplicaAcknowledgesNothingAndIsAskedOverANewConnectionNextTime() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        node.callAcknowledged(PING, new Acknowledgement(0, false), LONG);
        List<String> before = clients(server);
        server.command("REPLICAOF", "127.0.0.1", "1");

        Acknowledged read = node.callAcknowledged(RedisCommand.of("GET", "k"), new Acknowledgement(1, false), LONG);

        assertThat(read.shortfall().orElseThrow())
                .hasMessageContaining("WAIT cannot be used with replica")
                .extracting(LockBackendException::reason)
                .isEqualTo(UNREACHABLE);
        await().atMost(LONG).untilAsserted(() -> assertThat(clients(server)).doesNotContainAnyElementsOf(before));
    }

    @Test
    void anAcknowledgementThatDoesNotComeLeavesTheOutcomeUnknown() {
        RedisServer server = start();
        RedisNode node = node(server.uri());

        LockBackendException failure = unanswered(
                () -> node.callAcknowledged(PING, new Acknowledgement(0, false), LONG),
                server::pause,
                server::resume,
                () -> node.callAcknowledged(TAKE, new Acknowledgement(1, false), SHORT));
        server.resume();

        assertThat(failure.reason()).isEqualTo(OUTCOME_UNKNOWN);
        assertThat(node.call(PING, LONG)).isEqualTo("PONG");
    }

    @Test
    void aTransactionThatAnotherServerShouldCarryOutCastsDoubtOnTheSubscription() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger begun = new AtomicInteger();
        closeLater(node.subscribe("channel", counting(begun)));
        awaitAtLeast(1, begun);
        int before = begun.get();
        server.command("SET", "k", "mine");
        server.command("REPLICAOF", "127.0.0.1", "1");

        LockBackendException failure =
                failure(() -> node.transactIfEqual("k", "mine", List.of(RedisCommand.of("DEL", "k")), LONG));

        server.command("REPLICAOF", "NO", "ONE");

        assertThat(failure.getMessage())
                .as("what is said by the command or at a first connection")
                .containsAnyOf("READONLY", "is a replica");
        // Connections of our own are not made to a replica.
        awaitAtLeast(before + 1, begun);
    }

    static RedisNode.Listener counting(AtomicInteger begun) {
        return new RedisNode.Listener() {
            @Override
            public void begun() {
                begun.incrementAndGet();
            }

            @Override
            public void message(String text) {}
        };
    }

    @Test
    void aWatchListensOnceItsSubscriptionIsConfirmed() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("ACL", "SETUSER", "default", "resetchannels");
        AtomicInteger signals = new AtomicInteger();
        Watch watch = closeLater(node.subscribe("channel", signals::incrementAndGet));
        assertThat(watch.isListening()).isFalse();
        server.command("ACL", "SETUSER", "default", "allchannels");
        node.doubtSubscriptions();
        await().atMost(LONG).until(watch::isListening);
        int before = signals.get();
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        await("the end and the new beginning").atMost(LONG).until(() -> signals.get() >= before + 2);
    }

    @Test
    void aTransactionThatFailsWhileItReadsWasNotCarriedOut() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        List<RedisCommand> release = List.of(RedisCommand.of("DEL", "k"));
        server.command("SET", "k", "mine");
        assertThat(node.transactIfEqual("k", "theirs", release, LONG)).isEqualTo("mine");

        server.pause();
        LockBackendException failure = failure(() -> node.transactIfEqual("k", "mine", release, SHORT));
        server.resume();

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        assertThat(server.command("GET", "k")).isEqualTo("mine");
    }

    @Test
    void aTransactionIsCarriedOutIfTheValueIsAsExpected() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        List<RedisCommand> release = List.of(RedisCommand.of("DEL", "k"), RedisCommand.of("INCR", "done"));

        assertThat(node.transactIfEqual("k", "mine", release, LONG)).isNull();
        server.command("SET", "k", "theirs");
        assertThat(node.transactIfEqual("k", "mine", release, LONG)).isEqualTo("theirs");
        assertThat(server.command("GET", "done")).isNull();
        server.command("SET", "k", "mine");
        assertThat(node.transactIfEqual("k", "mine", release, LONG)).isEqualTo("mine");

        assertThat(server.command("GET", "k")).isNull();
        assertThat(server.command("GET", "done")).isEqualTo("1");
    }

    @Test
    void aTransactionThatTheServerRejectsIsRefusedAndLeavesNothingBehind() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("SET", "k", "mine");

        assertThat(failure(() -> node.transactIfEqual("k", "mine", List.of(RedisCommand.of("NOSUCH", SECRET)), LONG))
                        .reason())
                .isEqualTo(REFUSED);
        assertThat(node.transactIfEqual("k", "mine", List.of(RedisCommand.of("DEL", "k")), LONG))
                .isEqualTo("mine");
    }

    @Test
    void aTransactionOnAKeyThatHoldsNoStringIsNotCarriedOut() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("LPUSH", "list", "x");
        assertThat(node.transactIfEqual("absent", "mine", List.of(), LONG)).isNull();
        List<String> before = clients(server);

        assertThat(node.transactIfEqual("list", "mine", List.of(RedisCommand.of("DEL", "list")), LONG))
                .isEqualTo("");

        assertThat(server.command("LLEN", "list")).isEqualTo(1L);
        assertThat(clients(server)).as("connections").containsAll(before);
        assertThatIllegalArgumentException().isThrownBy(() -> node.transactIfEqual("list", "", List.of(), LONG));
    }

    @Test
    void transactionsThatMeetAreCarriedOutOneAfterTheOther() throws Exception {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("SET", "value", "0");
        int threads = 4;
        AtomicInteger successes = new AtomicInteger();
        ExecutorService executor = closeLater(new Executor(threads)).service;
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(executor.submit(() -> {
                for (int round = 0; round < 100; round++) {
                    String seen = String.valueOf(node.call(RedisCommand.of("GET", "value"), LONG));
                    String next = Integer.toString(Integer.parseInt(seen) + 1);
                    if (seen.equals(node.transactIfEqual(
                            "value", seen, List.of(RedisCommand.of("SET", "value", next)), LONG))) {
                        successes.incrementAndGet();
                    }
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }

        assertThat(server.command("GET", "value")).isEqualTo(Integer.toString(successes.get()));
        assertThat(successes.get()).isPositive();
    }

    @Test
    void moreThreadsThanConnectionsAreServed() throws Exception {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        int threads = 100;
        ExecutorService executor = closeLater(new Executor(threads)).service;
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(executor.submit(() -> {
                for (int round = 0; round < 20; round++) {
                    node.call(RedisCommand.of("INCR", "n"), LONG);
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }

        assertThat(server.command("GET", "n")).isEqualTo("2000");
    }

    @Test
    void aListenerIsToldOfTheSubscriptionAndOfEachMessage() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger signals = new AtomicInteger();

        node.subscribe("channel", signals::incrementAndGet);
        await().atMost(LONG).untilAtomic(signals, is(1));
        server.command("PUBLISH", "channel", "whatever");
        await().atMost(LONG).untilAtomic(signals, is(2));
        server.command("PUBLISH", "other", "whatever");
        server.command("PUBLISH", "channel", "");

        await().atMost(LONG).untilAtomic(signals, is(3));
    }

    @Test
    void aListenerLearnsWhatAMessageSays() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        List<String> heard = new CopyOnWriteArrayList<>();

        node.subscribe("channel", new RedisNode.Listener() {
            @Override
            public void begun() {
                heard.add("begun");
            }

            @Override
            public void message(String text) {
                heard.add(text);
            }
        });
        await().atMost(LONG).until(() -> heard.contains("begun"));
        server.command("PUBLISH", "channel", "7 42 interlock:{안녕}");
        server.command("PUBLISH", "channel", "");

        await().atMost(LONG).until(() -> heard.equals(List.of("begun", "7 42 interlock:{안녕}", "")));
    }

    @Test
    void aSubscriptionComesBackWhenItsConnectionWasCut() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger one = new AtomicInteger();
        AtomicInteger two = new AtomicInteger();
        node.subscribe("one", one::incrementAndGet);
        node.subscribe("two", two::incrementAndGet);
        awaitAtLeast(1, one, two);
        int oneBefore = one.get();
        int twoBefore = two.get();

        server.command("CLIENT", "KILL", "TYPE", "pubsub");

        awaitAtLeast(oneBefore + 1, one);
        awaitAtLeast(twoBefore + 1, two);
        int signals = two.get();
        server.command("PUBLISH", "two", "");
        awaitAtLeast(signals + 1, two);
    }

    @Test
    @Tag("deep")
    void aSubscriptionComesBackWhenItsConnectionWasLostSilently() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        AtomicInteger signals = new AtomicInteger();
        node.subscribe("channel", signals::incrementAndGet);
        awaitAtLeast(1, signals);
        int before = signals.get();

        proxy.halfOpen();

        awaitAtLeast(before + 1, signals);
        before = signals.get();
        server.command("PUBLISH", "channel", "");
        awaitAtLeast(before + 1, signals);
    }

    @Test
    void aSubscriptionThatIsDoubtedIsMadeAgain() {
        RedisNode node = node(start().uri());
        AtomicInteger signals = new AtomicInteger();
        node.subscribe("channel", signals::incrementAndGet);
        awaitAtLeast(1, signals);
        int before = signals.get();

        node.doubtSubscriptions();

        awaitAtLeast(before + 1, signals);
    }

    @Test
    void aSubscriptionComesBackAfterARestartAndWhatWasGivenUpDoesNot() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger kept = new AtomicInteger();
        AtomicInteger late = new AtomicInteger();
        node.subscribe("kept", kept::incrementAndGet);
        Watch givenUp = node.subscribe("given-up", () -> {});
        awaitAtLeast(1, kept);
        int before = kept.get();

        server.kill();
        givenUp.close();
        node.subscribe("late", late::incrementAndGet);
        server.restart();

        awaitAtLeast(before + 1, kept);
        awaitAtLeast(1, late);
        assertThat(channels(server)).containsExactlyInAnyOrder("kept", "late");
    }

    @Test
    void aSubscriptionBeginsWhenTheServerComes() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        proxy.refuse();
        AtomicInteger signals = new AtomicInteger();
        node(proxy.uri()).subscribe("channel", signals::incrementAndGet);

        proxy.accept();

        awaitAtLeast(1, signals);
    }

    @Test
    void listenersOfOneChannelShareItAndTheLastOneGivesItUp() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger one = new AtomicInteger();
        AtomicInteger two = new AtomicInteger();
        Watch first = node.subscribe("channel", one::incrementAndGet);
        awaitAtLeast(1, one);
        Watch second = node.subscribe("channel", two::incrementAndGet);
        awaitAtLeast(1, two);
        // The first listener is told again, before or after the new one.
        awaitAtLeast(2, one);

        first.close();
        first.close();
        int oneBefore = one.get();
        int twoBefore = two.get();
        server.command("PUBLISH", "channel", "");
        awaitAtLeast(twoBefore + 1, two);
        assertThat(one.get()).isEqualTo(oneBefore);
        assertThat(channels(server)).containsExactly("channel");
        second.close();

        await().atMost(LONG).untilAsserted(() -> assertThat(channels(server)).isEmpty());
        Watch third = node.subscribe("channel", one::incrementAndGet);
        awaitAtLeast(oneBefore + 1, one);
        third.close();
    }

    @Test
    void aListenerThatThrowsDoesNotHarmOthers() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        AtomicInteger signals = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            node.subscribe("channel", () -> {
                throw new IllegalStateException("on purpose");
            });
        }
        node.subscribe("channel", signals::incrementAndGet);
        awaitAtLeast(1, signals);
        int before = signals.get();

        server.command("PUBLISH", "channel", "");

        awaitAtLeast(before + 1, signals);
    }

    @SuppressWarnings("unchecked")
    private static List<String> channels(RedisServer server) {
        return (List<String>) server.command("PUBSUB", "CHANNELS");
    }

    static void awaitAtLeast(int number, AtomicInteger... signals) {
        for (AtomicInteger each : signals) {
            await().atMost(LONG).until(() -> each.get() >= number);
        }
    }

    @Test
    void aRefusedSubscriptionIsReportedOnceUntilOneSucceeds() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("ACL", "SETUSER", "default", "resetchannels", "&allowed");
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                // Other tests run at the same time, on servers of their own.
                if (entry.getMessage().contains(nameInMessages(server))) {
                    warnings.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.interlock.redis.client.Subscriptions");
        logger.addHandler(handler);
        try {
            AtomicInteger signals = new AtomicInteger();
            node.subscribe("allowed", signals::incrementAndGet);
            awaitAtLeast(1, signals);
            for (int i = 0; i < 3; i++) {
                node.subscribe("forbidden" + i, () -> {});
            }
            // Answered behind the refusals.
            node.subscribe("allowed", signals::incrementAndGet);
            awaitAtLeast(3, signals);
            assertThat(warnings).hasSize(1);

            node.subscribe("forbidden", () -> {});
            await().atMost(LONG).until(() -> warnings.size() == 2);
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void anInterruptDoesNotEndACallAndIsNotForgotten() throws Exception {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Thread caller = new Thread(() -> call(node, BLOCKING, outcome, interruptedAfterwards));
        caller.start();
        awaitBlockedClients(server, 1);

        caller.interrupt();
        server.command("RPUSH", "list", "x");

        assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(List.of("list", "x"));
        assertThat(interruptedAfterwards.get(20, TimeUnit.SECONDS)).isTrue();
    }

    private static void call(
            RedisNode node,
            RedisCommand command,
            CompletableFuture<Object> outcome,
            CompletableFuture<Boolean> interruptedAfterwards) {
        try {
            outcome.complete(node.call(command, LONG));
        } catch (LockBackendException e) {
            outcome.complete(e.reason());
        } finally {
            interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
        }
    }

    @Test
    @Tag("both-legs")
    void anInterruptOfAVirtualThreadDoesNotEndACallEither() throws Exception {
        assumeThat(Runtime.version().feature())
                .as("virtual threads came with Java 21")
                .isGreaterThanOrEqualTo(21);
        RedisServer server = start();
        RedisNode node = node(server.uri());
        CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Runnable task = () -> call(node, BLOCKING, outcome, interruptedAfterwards);
        Thread caller = (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        awaitBlockedClients(server, 1);

        caller.interrupt();
        server.command("RPUSH", "list", "x");

        // Left alone, the JDK would close the socket of a virtual thread that is interrupted.
        assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(List.of("list", "x"));
        assertThat(interruptedAfterwards.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("both-legs")
    void aVirtualThreadThatCameInterruptedIsServedToo() throws Exception {
        assumeThat(Runtime.version().feature())
                .as("virtual threads came with Java 21")
                .isGreaterThanOrEqualTo(21);
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("SET", "k", "mine");
        CompletableFuture<List<Object>> seen = new CompletableFuture<>();
        Runnable task = () -> {
            Thread.currentThread().interrupt();
            try {
                Object value = node.transactIfEqual("k", "mine", List.of(RedisCommand.of("DEL", "k")), LONG);
                seen.complete(
                        List.of(String.valueOf(value), Thread.currentThread().isInterrupted()));
            } catch (RuntimeException e) {
                seen.completeExceptionally(e);
            }
        };

        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);

        assertThat(seen.get(20, TimeUnit.SECONDS)).isEqualTo(List.of("mine", true));
        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    @Tag("both-legs")
    void virtualThreadsGetTheFailuresThatOthersGet() throws Exception {
        assumeThat(Runtime.version().feature())
                .as("virtual threads came with Java 21")
                .isGreaterThanOrEqualTo(21);
        RedisNode node = node(start().uri());
        node.close();
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Runnable task = () -> call(node, PING, outcome, new CompletableFuture<>());

        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);

        assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(UNREACHABLE);
    }

    @Test
    void closingEndsConnectionsAndThreads() {
        RedisServer server = start();
        ThreadListingEnvironment env = new ThreadListingEnvironment();
        RedisNode node = open(server.uri(), env);
        AtomicInteger signals = new AtomicInteger();
        node.call(PING, LONG);
        node.transactIfEqual("k", "x", List.of(), LONG);
        Watch watch = node.subscribe("channel", signals::incrementAndGet);
        awaitAtLeast(1, signals);
        assertThat(clients(server)).hasSizeGreaterThanOrEqualTo(2);
        assertThat(env.threads()).isNotEmpty();

        node.close();
        watch.close();

        assertThat(failure(() -> node.call(PING, LONG)).reason()).isEqualTo(UNREACHABLE);
        assertThat(node.subscribe("channel", () -> {})).isNotNull();
        assertClosed(server);
        env.awaitThreadsEnded();
    }

    void assertClosed(RedisServer server) {
        await().atMost(LONG).untilAsserted(() -> assertThat(clients(server)).isEmpty());
    }

    static final class Executor implements AutoCloseable {
        final ExecutorService service;

        Executor(int threads) {
            service = Executors.newFixedThreadPool(threads);
        }

        @Override
        public void close() {
            service.shutdownNow();
        }
    }
}
