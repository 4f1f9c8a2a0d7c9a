// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int GLANCE_MILLIS = 50;

    private static RedisServer server;

    private final FaultProxy proxy = FaultProxy.to(server);

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void close() {
        proxy.close();
        server.command("FLUSHALL");
    }

    private RespConnection connect() throws IOException {
        return new RespConnection(proxy.port(), PATIENCE_MILLIS);
    }

    @Test
    void whatBothSidesSayIsPassedOn() throws Exception {
        try (RespConnection client = connect()) {
            String large = "x".repeat(1_000_000);
            assertThat(client.call("SET", "k", large)).isEqualTo("OK");
            assertThat(client.call("GET", "k")).isEqualTo(large);
        }
        assertThat(proxy.uri()).isEqualTo("redis://127.0.0.1:" + proxy.port());
    }

    @Test
    void clientsAreToldThePortsOfTheirProxiesInsteadOfThoseOfServers() throws Exception {
        proxy.translate(Map.of(server.port(), proxy.port()));
        try (RespConnection client = connect()) {
            String before = "127.0.0.1:" + server.port();
            assertThat(client.call("ECHO", "MOVED 1 " + before)).isEqualTo("MOVED 1 127.0.0.1:" + proxy.port());
            assertThat(client.call("ECHO", "127.0.0.1 " + server.port() + " 127.0.0.1 1"))
                    .isEqualTo("127.0.0.1 " + proxy.port() + " 127.0.0.1 1");
            assertThat(client.call("EVAL", "return {'127.0.0.1', " + server.port() + "}", "0"))
                    .as("as CLUSTER SLOTS does")
                    .isEqualTo(List.of("127.0.0.1", (long) proxy.port()));
            assertThat(client.call("EVAL", "return {'127.0.0.1', '" + server.port() + "'}", "0"))
                    .as("as sentinels do")
                    .isEqualTo(List.of("127.0.0.1", Integer.toString(proxy.port())));
            assertThat(client.call("ECHO", Integer.toString(server.port())))
                    .as("a number that is no address")
                    .isEqualTo(Integer.toString(server.port()));
        }
    }

    @Test
    void aPortOfAnotherLengthIsRefusedBecauseRepliesTellTheirLength() {
        assertThatThrownBy(() -> proxy.translate(Map.of(80, 8080))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connectionsThatAreCutEndAndNewOnesAreAccepted() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");

            proxy.cutConnections();

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void connectionsAreRefusedUntilTheyAreAcceptedAgain() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");

            proxy.refuse();

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        proxy.accept();
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    /** They hold copies of the sockets of this JVM for a moment. */
    @Test
    void connectionsAreRefusedAtOnceAlsoWhileProcessesAreBeingStarted() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Void>> starters = Stream.generate(() -> CompletableFuture.runAsync(() -> {
                    while (!done.get()) {
                        startAProcess();
                    }
                }))
                .limit(2)
                .toList();
        try {
            for (int i = 0; i < 100; i++) {
                proxy.refuse();
                assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
                proxy.accept();
            }
        } finally {
            done.set(true);
            starters.forEach(CompletableFuture::join);
        }
    }

    private static void startAProcess() {
        try {
            new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-version")
                    .redirectErrorStream(true)
                    .start()
                    .destroyForcibly()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    @Test
    void aBlackHoleHoldsBackUntilItIsHealed() throws Exception {
        try (RespConnection early = connect()) {
            early.call("PING");
            proxy.blackhole();

            try (RespConnection late = connect()) {
                late.timeout(GLANCE_MILLIS);
                assertThatThrownBy(() -> late.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
                assertThat(server.command("GET", "k")).isNull();

                late.timeout(PATIENCE_MILLIS);
                proxy.heal();

                assertThat(late.read()).isEqualTo("OK");
            }
            assertThat(early.call("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void aBlackHoleForRepliesLetsRequestsThrough() throws Exception {
        try (RespConnection connection = connect()) {
            connection.call("PING");
            proxy.blackholeReplies();

            connection.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> connection.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            while (server.command("GET", "k") == null && System.nanoTime() - giveUp < 0) {
                Thread.onSpinWait();
            }
            assertThat(server.command("GET", "k")).isEqualTo("v");

            connection.timeout(PATIENCE_MILLIS);
            proxy.heal();

            assertThat(connection.read()).isEqualTo("OK");
        }
    }

    @Test
    void delayedRepliesComeLaterAndInOrder() throws Exception {
        Duration delay = Duration.ofMillis(300);
        try (RespConnection client = connect();
                Socket raw = new Socket("127.0.0.1", proxy.port())) {
            client.call("PING");
            proxy.delayReplies(delay);
            long begin = System.nanoTime();
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(delay.toNanos());

            // Several replies, each read by the proxy while the ones before it are held back.
            proxy.delayReplies(Duration.ofHours(1));
            for (int i = 0; i < 5; i++) {
                raw.getOutputStream().write(("INCR n\r\n").getBytes(StandardCharsets.UTF_8));
                String count = Integer.toString(i + 1);
                while (!count.equals(server.command("GET", "n"))) {
                    Thread.onSpinWait();
                }
            }
            proxy.delayReplies(Duration.ofMillis(1));
            raw.setSoTimeout(PATIENCE_MILLIS);
            assertThat(raw.getInputStream().readNBytes(20)).asString().isEqualTo(":1\r\n:2\r\n:3\r\n:4\r\n:5\r\n");
        }
    }

    @Test
    void aReplyThatIsHeldBackArrivesWhenTheDelayEnds() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            proxy.delayReplies(Duration.ofHours(1));
            CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> {
                try {
                    return client.call("SET", "k", "v");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            while (server.command("GET", "k") == null) {
                Thread.onSpinWait();
            }
            assertThat(reply).isNotDone();

            proxy.heal();

            assertThat(reply.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
        }
    }

    @Test
    void newConnectionsFollowAServerThatMoved() throws Exception {
        try (RedisServer moved = RedisServer.start();
                RespConnection before = connect()) {
            before.call("SET", "k", "here");
            moved.command("SET", "k", "there");

            proxy.redirect("127.0.0.1", moved.port());

            assertThat(before.call("GET", "k")).isEqualTo("here");
            try (RespConnection after = connect()) {
                assertThat(after.call("GET", "k")).isEqualTo("there");
            }
        }
    }

    @Test
    void aServerOfSomebodyElseIsReachedByHostAndPort() throws Exception {
        try (FaultProxy other = FaultProxy.to("localhost", server.port());
                RespConnection client = new RespConnection("localhost", other.port(), PATIENCE_MILLIS)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aMessageIsNoReplyThatCouldBeLost() throws Exception {
        try (RespConnection listener = connect();
                RespConnection client = connect()) {
            listener.call("SUBSCRIBE", "c");
            client.call("PING");
            proxy.loseNextReply();

            server.command("PUBLISH", "c", "m");

            assertThat(listener.read()).isEqualTo(List.of("message", "c", "m"));
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(IOException.class);
            assertThat(server.command("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void aReplyThatWasToBeLostIsPassedOnAfterHealing() throws Exception {
        try (RespConnection client = connect()) {
            proxy.loseNextReply();
            proxy.heal();

            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aLostReplyBelongsToACommandThatWasCarriedOut() throws Exception {
        try (RespConnection client = connect()) {
            client.call("PING");
            proxy.loseNextReply();

            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(IOException.class);

            assertThat(server.command("GET", "k")).isEqualTo("v");
        }
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aTrapLetsOtherRequestsPassAndHoldsTheReplyToTheOneThatItWaitsFor() throws Exception {
        try (RespConnection client = connect();
                RespConnection other = connect()) {
            CompletableFuture<Void> snapped = proxy.trap("the-key", FaultProxy.Trap.HOLD_REPLY);
            assertThat(client.call("SET", "another", "v")).isEqualTo("OK");
            assertThat(snapped).isNotDone();

            CompletableFuture<Object> reply = async(client, "SET", "the-key", "v");
            snapped.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);

            assertThat(server.command("GET", "the-key")).isEqualTo("v");
            assertThat(reply).isNotDone();
            CompletableFuture<Object> later = async(other, "PING");
            proxy.heal();
            assertThat(reply.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("OK");
            assertThat(later.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void aTrapHoldsARequestBeforeItReachesTheServer() throws Exception {
        try (RespConnection client = connect()) {
            CompletableFuture<Void> snapped = proxy.trap("the-key", FaultProxy.Trap.HOLD_REQUEST);
            CompletableFuture<Object> reply = async(client, "SET", "the-key", "v");
            snapped.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);

            assertThat(server.command("EXISTS", "the-key")).isEqualTo(0L);
            proxy.heal();
            assertThat(reply.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("OK");
        }
    }

    @Test
    void aTrapLosesTheReplyOfARequestThatWasCarriedOut() throws Exception {
        try (RespConnection client = connect()) {
            CompletableFuture<Void> snapped = proxy.trap("the-key", FaultProxy.Trap.LOSE_REPLY);

            assertThatThrownBy(() -> client.call("SET", "the-key", "v")).isInstanceOf(IOException.class);
            snapped.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            assertThat(server.command("GET", "the-key")).isEqualTo("v");
        }
    }

    @Test
    void aHalfOpenConnectionIsClosedForTheServerAndSilentForTheClient() throws Exception {
        try (RespConnection client = connect()) {
            client.call("CLIENT", "SETNAME", "half-open");

            proxy.halfOpen();

            client.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
            while (String.valueOf(server.command("CLIENT", "LIST")).contains("half-open")) {
                Thread.onSpinWait();
            }
        }
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aConnectionThatIsDroppedSilentlyLooksOpenToBothSides() throws Exception {
        try (RespConnection client = connect()) {
            client.call("CLIENT", "SETNAME", "dropped");

            proxy.dropSilently();

            client.timeout(GLANCE_MILLIS);
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
            assertThat(String.valueOf(server.command("CLIENT", "LIST"))).contains("dropped");
        }
    }

    @Test
    void aConnectionThatIsClosedOnTheClientsSideAloneLooksOpenToTheServer() throws Exception {
        RespConnection subscriber = connect();
        subscriber.call("SUBSCRIBE", "news");
        try (RespConnection client = connect()) {
            client.call("CLIENT", "SETNAME", "gone");

            proxy.closeClientSides();

            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(IOException.class);
        }
        subscriber.close();
        try (RespConnection client = connect()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
        assertThat(server.command("EXISTS", "k")).isEqualTo(0L);
        assertThat(String.valueOf(server.command("CLIENT", "LIST"))).contains("name=gone");
        assertThat(server.command("PUBLISH", "news", "to nobody")).isEqualTo(1L);

        proxy.cutConnections();

        while (!Long.valueOf(0).equals(server.command("PUBLISH", "news", "to nobody"))) {
            Thread.onSpinWait();
        }
    }

    private static CompletableFuture<Object> async(RespConnection client, String... command) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return client.call(command);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void aConnectionThatIsSparedMeetsNoFaultThatPassesOverIt() throws Exception {
        proxy.spare("watcher");
        try (RespConnection watcher = connect();
                RespConnection client = connect()) {
            watcher.call("CLIENT", "SETNAME", "watcher");
            client.call("PING");

            proxy.blackhole();
            assertThat(watcher.call("PING")).isEqualTo("PONG");
            proxy.heal();
            proxy.loseNextReply();
            assertThat(watcher.call("PING")).isEqualTo("PONG");
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
    }
}
