// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections over which commands are sent without waiting, whatever the client library. */
abstract class RedisLinkContract {
    static final Duration LONG = Duration.ofSeconds(20);
    static final LockConfig CONFIG =
            LockConfig.builder().commandTimeout(Duration.ofSeconds(20)).build();
    private static final LuaScript SET = LuaScript.of("return redis.call('SET', KEYS[1], ARGV[1])");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T closeLater(T resource) {
        open.push(resource);
        return resource;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    RedisServer start(String... extraArgs) {
        return closeLater(RedisServer.start(extraArgs));
    }

    /** The client library under test. */
    abstract ClientLibrary library();

    final RedisNode node(String uri) {
        return closeLater(RedisNodes.open(
                        library(),
                        List.of(RedisEndpoint.parse(uri)),
                        ConnectionSettings.of(CONFIG),
                        Environment.system())
                .get(0));
    }

    static CompletableFuture<RedisLink.Reply> send(RedisLink link, RedisCommand command) {
        CompletableFuture<RedisLink.Reply> reply = new CompletableFuture<>();
        link.send(command, reply::complete);
        link.flush();
        return reply;
    }

    private static RedisLink.Reply outcome(CompletableFuture<RedisLink.Reply> reply) {
        return reply.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
    }

    static Object value(CompletableFuture<RedisLink.Reply> reply) {
        return ((RedisLink.Reply.Value) outcome(reply)).value();
    }

    static LockBackendException failure(CompletableFuture<RedisLink.Reply> reply) {
        return ((RedisLink.Reply.Failed) outcome(reply)).cause();
    }

    private static RedisCommand set(String value) {
        return RedisCommand.script(SET, List.of("k"), List.of(value));
    }

    private static List<String> names(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream().map(command -> command.get(0)).toList();
    }

    @Test
    void repliesComeInTheOrderOfSending() {
        RedisLink link = node(start().uri()).openLink(LONG);
        List<Object> replies = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            link.send(RedisCommand.of("INCR", "n"), reply -> replies.add(((RedisLink.Reply.Value) reply).value()));
        }
        link.flush();
        await().atMost(LONG).until(() -> replies.size() == 1_000);
        assertThat(replies)
                .isEqualTo(
                        IntStream.rangeClosed(1, 1_000).mapToObj(Long::valueOf).toList());
        assertThat(value(send(link, RedisCommand.of("GET", "absent")))).isNull();
    }

    @Test
    void sendingDoesNotWaitForAServerThatStandsStill() {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        server.pause();
        CompletableFuture<RedisLink.Reply> first = send(link, RedisCommand.of("SET", "k", "1", "NX"));
        CompletableFuture<RedisLink.Reply> undo = send(link, RedisCommand.of("DEL", "k"));
        assertThat(first).isNotDone();
        server.resume();
        assertThat(value(first)).isEqualTo("OK");
        assertThat(value(undo)).isEqualTo(1L);
    }

    @Test
    void aScriptThatTheServerDoesNotKnowIsSentInFull() {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        try (CommandMonitor monitor = server.monitor()) {
            assertThat(value(send(link, set("v")))).isEqualTo("OK");
            assertThat(value(send(link, set("w")))).isEqualTo("OK");
            assertThat(names(monitor)).containsExactly("EVALSHA", "EVAL", "EVALSHA");
        }
    }

    @Test
    void aScriptThatIsNotToBeRepeatedCannotOvertakeWhatUndoesIt() {
        RedisServer server = start();
        RedisLink link = node(server.uri()).openLink(LONG);
        try (CommandMonitor monitor = server.monitor()) {
            server.pause();
            CompletableFuture<RedisLink.Reply> reply = new CompletableFuture<>();
            RedisLink.Sent sent = link.send(set("v"), reply::complete);
            link.flush();
            sent.doNotRepeat();
            CompletableFuture<RedisLink.Reply> undo = send(link, RedisCommand.of("DEL", "k"));
            server.resume();
            assertThat(value(undo)).isEqualTo(0L);
            assertThat(failure(reply).reason()).isEqualTo(REFUSED);
            assertThat(server.command("GET", "k")).isNull();
            // The server gets the script nevertheless, so that it knows it at the next call.
            await().atMost(LONG).until(() -> names(monitor).contains("SCRIPT"));
            assertThat(value(send(link, set("w")))).isEqualTo("OK");
            assertThat(names(monitor))
                    .filteredOn(name -> name.startsWith("EVAL"))
                    .containsExactly("EVALSHA", "EVALSHA");
        }
    }

    @Test
    void anErrorIsAFailureWithoutTheArguments() {
        RedisLink link = node(start().uri()).openLink(LONG);
        LockBackendException failure = failure(send(link, RedisCommand.of("NOSUCH", "s3cret-token")));
        assertThat(failure.reason()).isEqualTo(REFUSED);
        assertThat(failure).hasMessageContaining("NOSUCH").hasMessageNotContaining("s3cret");
    }

    @Test
    void whatWasSentHasAnUnknownOutcomeWhenTheConnectionBreaksAndTheRestIsNotSent() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        RedisLink link = node.openLink(LONG);
        CompletableFuture<RedisLink.Reply> blocked = send(link, RedisCommand.of("BLPOP", "list", "0"));
        RedisNodeContract.awaitBlockedClients(server, 1);
        proxy.cutConnections();
        assertThat(failure(blocked).reason()).isEqualTo(OUTCOME_UNKNOWN);
        await().atMost(LONG).until(() -> !link.isOpen());
        try (CommandMonitor monitor = server.monitor()) {
            assertThat(failure(send(link, RedisCommand.of("SET", "k", "v"))).reason())
                    .isEqualTo(UNREACHABLE);
            assertThat(value(send(node.openLink(LONG), RedisCommand.of("GET", "k"))))
                    .isNull();
            assertThat(names(monitor)).doesNotContain("SET");
        }
    }

    @Test
    void closingALinkEndsWhatIsNotAnsweredAndNothingElse() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        RedisLink link = node.openLink(LONG);
        RedisLink other = node.openLink(LONG);
        CompletableFuture<RedisLink.Reply> blocked = send(link, RedisCommand.of("BLPOP", "list", "0"));
        RedisNodeContract.awaitBlockedClients(server, 1);
        link.close();
        link.close();
        assertThat(failure(blocked).reason()).isEqualTo(OUTCOME_UNKNOWN);
        assertThat(link.isOpen()).isFalse();
        assertThat(value(send(other, RedisCommand.of("PING")))).isEqualTo("PONG");
        node.close();
        await().atMost(LONG).until(() -> !other.isOpen());
        assertThat(catchThrowableOfType(LockBackendException.class, () -> node.openLink(LONG))
                        .reason())
                .isEqualTo(UNREACHABLE);
    }

    @Test
    void aLinkThatIsGivenUpIsResetAndOneThatIsClosedIsNot() throws Exception {
        RedisServer server = start();
        try (ClientEnds ends = new ClientEnds(server)) {
            RedisLink aborted = node("redis://127.0.0.1:" + ends.port()).openLink(LONG);
            CompletableFuture<RedisLink.Reply> blocked = send(aborted, RedisCommand.of("BLPOP", "list", "0"));
            RedisNodeContract.awaitBlockedClients(server, 1);
            aborted.abort();
            aborted.abort();
            aborted.close();
            assertThat(ends.awaitNext()).isEqualTo("reset");
            assertThat(failure(blocked).reason()).isEqualTo(OUTCOME_UNKNOWN);
            assertThat(aborted.isOpen()).isFalse();

            RedisLink closed = node("redis://127.0.0.1:" + ends.port()).openLink(LONG);
            assertThat(value(send(closed, RedisCommand.of("PING")))).isEqualTo("PONG");
            closed.close();
            assertThat(ends.awaitNext()).isEqualTo("closed");
        }
    }

    @Test
    void aServerThatCannotBeReachedGivesNoLink() {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        proxy.refuse();
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, () -> node.openLink(LONG));
        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        proxy.accept();
        server.pause();
        failure = catchThrowableOfType(LockBackendException.class, () -> node.openLink(Duration.ofMillis(300)));
        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        server.resume();
        assertThat(value(send(node.openLink(LONG), RedisCommand.of("PING")))).isEqualTo("PONG");
    }

    @Test
    void aLogInThatIsRefusedIsToldAsSuch() {
        RedisServer server = start("--requirepass", "hunter2");
        RedisNode wrong = node("redis://:wrong-password@127.0.0.1:" + server.port());
        LockBackendException failure = catchThrowableOfType(LockBackendException.class, () -> wrong.openLink(LONG));
        assertThat(failure.reason()).isEqualTo(REFUSED);
        assertThat(failure).hasMessageContaining("check user and password").hasMessageNotContaining("wrong-password");
        RedisNode right = node("redis://:hunter2@127.0.0.1:" + server.port() + "/1");
        assertThat(value(send(right.openLink(LONG), set("v")))).isEqualTo("OK");
    }
}
