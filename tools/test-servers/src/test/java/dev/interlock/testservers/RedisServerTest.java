// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedisServerTest {
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private RedisServer start(String... extraArgs) {
        RedisServer server = RedisServer.start(extraArgs);
        open.add(server);
        return server;
    }

    @Test
    void repliesOfEveryKindAreRead() {
        RedisServer server = start();

        assertThat(server.command("SET", "k", "ü\r\n")).isEqualTo("OK");
        assertThat(server.command("GET", "k")).isEqualTo("ü\r\n");
        assertThat(server.command("GET", "absent")).isNull();
        assertThat(server.command("INCR", "n")).isEqualTo(1L);
        assertThat(server.command("EVAL", "return {1, {'a', false}}", "0"))
                .isEqualTo(Arrays.asList(1L, Arrays.asList("a", null)));
        assertThatThrownBy(() -> server.command("INCR", "k"))
                .isInstanceOf(RedisServerException.class)
                .hasMessageContaining("not an integer");
    }

    @Test
    void aServerIsReachedThroughItsUriAndListensOnLoopbackOnly() {
        RedisServer server = start();

        assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
        assertThat(server.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
    }

    @Test
    void extraArgumentsReachTheServerAndAPasswordIsUsed() {
        RedisServer server = start("--requirepass", "secret", "--databases", "3");

        assertThat(server.command("CONFIG", "GET", "databases")).isEqualTo(List.of("databases", "3"));
        assertThat(server.toString()).doesNotContain("secret");
    }

    @Test
    void aServerThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> RedisServer.start("--no-such-setting", "1"))
                .isInstanceOf(RedisServerException.class)
                .hasMessageContaining("no-such-setting");
    }

    @Test
    void aPausedServerAnswersAfterItWasResumed() throws Exception {
        RedisServer server = start();
        server.pause();

        CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> server.command("PING"));
        try (RespConnection other = new RespConnection(server.port(), 50)) {
            assertThatThrownBy(() -> other.call("PING")).isInstanceOf(IOException.class);
        }
        assertThat(reply).isNotDone();
        Signals.goOn(server.pid());

        assertThat(reply.get(10, TimeUnit.SECONDS)).isEqualTo("PONG");
    }

    @Test
    void pauseAndResumeMayBeCalledByTheThreadThatAsks() {
        RedisServer server = start();
        server.pause();
        server.resume();

        assertThat(server.command("PING")).isEqualTo("PONG");
    }

    @Test
    void aKilledServerIsGoneAndComesBackEmptyOnTheSamePort() {
        RedisServer server = start();
        int port = server.port();
        long pid = server.pid();
        server.command("SET", "k", "v");

        server.kill();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThatThrownBy(() -> server.command("PING")).isInstanceOf(RedisServerException.class);
        server.restart();

        assertThat(server.port()).isEqualTo(port);
        assertThat(server.pid()).isNotEqualTo(pid);
        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    void aStoppedServerIsGoneAndComesBackWithItsData() {
        RedisServer server = start();
        int port = server.port();
        long pid = server.pid();
        server.command("SET", "k", "v");

        server.stop();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThatThrownBy(() -> server.command("PING")).isInstanceOf(RedisServerException.class);
        assertThatThrownBy(server::stop).isInstanceOf(IllegalStateException.class);
        server.restartWithData();

        assertThat(server.port()).isEqualTo(port);
        assertThat(server.command("GET", "k")).isEqualTo("v");
    }

    @Test
    void aRunningServerIsRestartedWithItsData() {
        RedisServer server = start();
        long pid = server.pid();
        server.command("SET", "k", "v");

        server.restartWithData();

        assertThat(server.pid()).isNotEqualTo(pid);
        assertThat(server.command("GET", "k")).isEqualTo("v");
    }

    @Test
    void aStoppedServerCanComeBackWithoutItsDataToo() {
        RedisServer server = start();
        server.command("SET", "k", "v");
        server.stop();

        server.restart();

        assertThat(server.command("GET", "k")).isNull();
    }

    @Test
    void aServerThatCannotSaveSaysSo() {
        RedisServer server = start();
        server.command("SET", "k", "v");
        server.directory().resolve("dump.rdb").toFile().mkdir();

        assertThatThrownBy(server::stop)
                .isInstanceOf(RedisServerException.class)
                .hasMessageContaining("SHUTDOWN");
        assertThat(server.command("GET", "k")).isEqualTo("v");
    }

    @Test
    void aClosedServerLeavesNoProcessAndNoDirectory() {
        RedisServer server = start();

        server.close();
        server.close();

        assertThat(ProcessHandle.of(server.pid())).isEmpty();
        assertThat(server.directory()).doesNotExist();
        assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPausedServerIsClosedToo() {
        RedisServer server = start();
        server.pause();

        server.close();

        assertThat(ProcessHandle.of(server.pid())).isEmpty();
    }

    @Test
    void serversThatWereNeverClosedEndWithTheJvm() throws Exception {
        Process jvm = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Forgetful.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] started =
                new String(jvm.getInputStream().readAllBytes()).strip().split("\\R");

        assertThat(jvm.waitFor()).isZero();
        assertThat(started).hasSize(3);
        for (int i = 0; i < 2; i++) {
            assertThat(ProcessHandle.of(Long.parseLong(started[i]))).isEmpty();
        }
        assertThat(Path.of(started[2])).doesNotExist();
    }

    /** A program that stops neither of its servers, of which one cannot hear a polite request. */
    static final class Forgetful {
        public static void main(String[] args) {
            RedisServer running = RedisServer.start();
            RedisServer paused = RedisServer.start();
            paused.pause();
            System.out.println(running.pid());
            System.out.println(paused.pid());
            System.out.println(paused.directory());
        }
    }

    @Test
    void aDirectoryThatCannotBeDeletedKeepsNoServerAlive() throws Exception {
        Process jvm = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Littering.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String[] started =
                new String(jvm.getInputStream().readAllBytes()).strip().split("\\R");
        jvm.waitFor();

        assertThat(started).hasSize(6);
        try {
            for (int i = 0; i < 3; i++) {
                assertThat(ProcessHandle.of(Long.parseLong(started[i]))).isEmpty();
            }
        } finally {
            for (int i = 0; i < 3; i++) {
                ProcessHandle.of(Long.parseLong(started[i])).ifPresent(ProcessHandle::destroyForcibly);
                deleteAll(Path.of(started[3 + i]));
            }
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> content = Files.walk(directory)) {
                for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** A program that stops none of its servers, and fills their directories faster than they can be deleted. */
    static final class Littering {
        public static void main(String[] args) {
            List<RedisServer> servers = List.of(RedisServer.start(), RedisServer.start(), RedisServer.start());
            servers.forEach(server -> System.out.println(server.pid()));
            for (RedisServer server : servers) {
                System.out.println(server.directory());
                Thread litterer = new Thread(() -> litter(server.directory()));
                litterer.setDaemon(true);
                litterer.start();
            }
        }

        private static void litter(Path directory) {
            for (int i = 0; i < 1_000_000; i++) {
                try {
                    Files.createDirectories(directory.resolve(Integer.toString(i)));
                    if (i >= 100) {
                        Files.deleteIfExists(directory.resolve(Integer.toString(i - 100)));
                    }
                } catch (IOException e) {
                    // The directory is being deleted: go on.
                }
            }
        }
    }

    @Test
    void callsAreCountedByCommand() {
        RedisServer server = start();
        server.command("SET", "a", "1");
        server.command("EVAL", "redis.call('SET', 'b', '1')", "0");

        Map<String, Long> calls = server.commandStats();

        assertThat(calls).containsEntry("set", 2L).containsEntry("eval", 1L).doesNotContainKey("get");
    }

    @Test
    void theMonitorSeesExactlyWhatClientsSend() throws Exception {
        RedisServer server = start();
        server.command("SET", "before", "1");
        try (CommandMonitor monitor = server.monitor();
                RespConnection client = new RespConnection(server.port(), 10_000)) {
            server.command("SET", "own", "1");
            client.call("SET", "k", "a \"b\" \\ \n\t ü \u0001 [lua]");
            client.call("EVAL", "return redis.call('GET', KEYS[1])", "1", "k");

            assertThat(monitor.commands())
                    .containsExactly(
                            List.of("SET", "k", "a \"b\" \\ \n\t ü \u0001 [lua]"),
                            List.of("EVAL", "return redis.call('GET', KEYS[1])", "1", "k"));
            monitor.clear();
            client.call("PING");
            client.call("ECHO", "PING");
            assertThat(monitor.commands())
                    .as("all but what clients send to see whether the server is there")
                    .containsExactly(List.of("ECHO", "PING"));
        }
    }

    @Test
    void aMonitorWhoseServerDiedSaysSo() {
        RedisServer server = start();
        try (CommandMonitor monitor = server.monitor()) {
            server.restart();

            assertThatThrownBy(monitor::sync)
                    .isInstanceOf(RedisServerException.class)
                    .hasMessageContaining("disconnected");
        }
    }
}
