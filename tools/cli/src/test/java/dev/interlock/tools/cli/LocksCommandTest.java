// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.testservers.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands of operators, on a server that programs use. */
class LocksCommandTest {
    private final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String user = "";

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
        server.close();
    }

    private DistributedLock lock(String name) {
        return factory().getLock(name);
    }

    private DistributedLockFactory factory() {
        DistributedLockFactory factory =
                DistributedLocks.getInstance("set-nx-px", patient(LockConfig.of(server.uri())));
        factories.add(factory);
        return factory;
    }

    /** A busy machine takes long to connect for the first time. */
    private static LockConfig patient(LockConfig config) {
        return config.toBuilder().commandTimeout(Duration.ofMinutes(1)).build();
    }

    private static FutureTask<Boolean> passing(DistributedLock lock) {
        FutureTask<Boolean> turn = new FutureTask<>(() -> {
            lock.lock();
            try {
                lock.unlock();
            } catch (LeaseLostException e) {
                // What is handed over is good for two seconds, in which a busy machine may not come to renew it.
                return true;
            }
            return true;
        });
        new Thread(turn, "passing").start();
        return turn;
    }

    private String run(int expected, String... args) {
        out.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(List.of("locks"));
        all.addAll(List.of(args));
        all.addAll(List.of("--redis", server.uri().replace("://", "://" + user)));
        int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new));
        assertThat(code).as(err.toString()).isEqualTo(expected);
        return out.toString();
    }

    @Test
    void locksThatAreHeldAreListedAndShownWithoutTheirTokens() {
        assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
        assertThat(run(ExitCodes.OK, "show", "a")).isEqualTo("nobody holds lock \"a\"\n");
        assertThat(err.toString()).contains("redisson, redlock, setnx-getset cannot be listed");
        server.command("SET", "lock.old", "99999999999.5");
        assertThat(run(ExitCodes.OK, "show", "old")).contains("taken with strategy setnx-getset");
        lock("a").lock();
        lock("b\u001b[31m").lock();
        assertThat(run(ExitCodes.OK, "list"))
                .containsPattern("\\| a +\\| set-nx-px \\|.*factory [0-9a-f]{12} \\|.* s \\| +0 \\|")
                .contains("b?[31m")
                .doesNotContain("\u001b");
        String token = String.valueOf(server.command("GET", "interlock:{a}")).substring("il1:".length());
        assertThat(run(ExitCodes.OK, "show", "a"))
                .contains("fencing token", "lease left")
                .doesNotContain(token.substring(0, 8));
        assertThat(run(ExitCodes.OK, "deadlocks")).isEqualTo("no factories wait for each other\n");
        assertThat(run(ExitCodes.OK, "watch", "--times", "1")).contains("| a ");
    }

    @Test
    void jsonHasTheHolderAndThoseWhoWait() throws Exception {
        DistributedLock held = lock("a");
        held.lock();
        FutureTask<Boolean> turn = passing(lock("a"));
        JsonObject lock = awaitWaiter();
        assertThat(lock.get("strategy").getAsString()).isEqualTo("set-nx-px");
        String waiter = lock.getAsJsonArray("waiters")
                .get(0)
                .getAsJsonObject()
                .get("factory")
                .getAsString();
        assertThat(lock.getAsJsonObject("holder").get("factory").getAsString()).isNotEqualTo(waiter);
        held.unlock();
        assertThat(turn.get(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Lists until somebody waits. */
    private JsonObject awaitWaiter() {
        for (int i = 0; i < 10_000; i++) {
            JsonObject lock = JsonParser.parseString(run(ExitCodes.OK, "list", "--json"))
                    .getAsJsonObject()
                    .getAsJsonArray("locks")
                    .get(0)
                    .getAsJsonObject();
            if (lock.get("waiting").getAsInt() == 1) {
                return lock;
            }
        }
        throw new AssertionError("nobody waits");
    }

    @Test
    void factoriesThatWaitForEachOtherAreShown() throws Exception {
        DistributedLockFactory one = factory();
        DistributedLockFactory two = factory();
        one.getLock("a").lock();
        two.getLock("b").lock();
        FutureTask<Boolean> first = passing(two.getLock("a"));
        FutureTask<Boolean> second = passing(one.getLock("b"));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(run(ExitCodes.OK, "deadlocks"))
                        .contains("a deadlock, if", "waits for \"a\", which", "waits for \"b\", which"));
        assertThat(JsonParser.parseString(run(ExitCodes.OK, "deadlocks", "--json"))
                        .getAsJsonObject()
                        .getAsJsonArray("circles"))
                .hasSize(1);
        one.getLock("a").unlock();
        two.getLock("b").unlock();
        assertThat(first.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(second.get(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aReleaseByForceFreesTheLockAndSaysWhoseItWas() {
        DistributedLock held = lock("a");
        held.lock();
        assertThat(run(ExitCodes.USAGE, "release", "a")).isEmpty();
        assertThat(err.toString()).contains("--force");
        run(ExitCodes.OK, "release", "a", "--force", "--yes");
        assertThat(err.toString()).containsPattern("released lock \"a\" of .*factory [0-9a-f]{12}, claim ");
        assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
        assertThatThrownBy(held::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(run(ExitCodes.OK, "release", "a", "--force", "--yes")).isEqualTo("nobody holds lock \"a\"\n");
    }

    @Test
    void aReleaseAsksFirst() {
        DistributedLock held = lock("a");
        held.lock();
        answering("\n", ExitCodes.FAILED);
        assertThat(err.toString()).contains("Release the lock? [y/N]", "nothing was released");
        assertThat(held.isHeldByCurrentThread()).isTrue();
        answering("y\n", ExitCodes.OK);
        assertThatThrownBy(held::unlock).isInstanceOf(LeaseLostException.class);
    }

    private void answering(String answer, int expected) {
        InputStream terminal = System.in;
        System.setIn(new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)));
        try {
            run(expected, "release", "a", "--force");
        } finally {
            System.setIn(terminal);
        }
    }

    @Test
    @Tag("deep")
    void ofLocksOfOtherStrategiesItIsSaidThatTheyAreTakenAndWhatCannotBeSeen() {
        try (RedisServer second = RedisServer.start();
                RedisServer third = RedisServer.start()) {
            hold("setnx-getset", "old", LockConfig.of(server.uri()));
            hold("redisson", "plain", LockConfig.of(server.uri()));
            hold(
                    "redlock",
                    "most",
                    LockConfig.builder()
                            .endpoints(String.join(",", server.uri(), second.uri(), third.uri()))
                            .option("cold-start", "trust")
                            .build());
            assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
            assertThat(err.toString()).contains("redisson, redlock, setnx-getset cannot be listed");
            assertThat(run(ExitCodes.OK, "show", "old"))
                    .containsPattern("setnx-getset: key \"lock.old\", lease left \\d");
            assertThat(run(ExitCodes.OK, "show", "plain")).containsPattern("redisson: key \"plain\", lease left \\d");
            assertThat(run(ExitCodes.OK, "show", "most"))
                    .containsPattern("redlock: key \"interlock:\\{most}\", lease left \\d.*one server does not decide");
            String json = run(ExitCodes.OK, "show", "most", "--json");
            assertThat(json)
                    .contains("\"taken\"")
                    .doesNotContain(String.valueOf(server.command("GET", "interlock:{most}")));

            run(ExitCodes.FAILED, "release", "plain", "--force", "--yes");
            assertThat(err.toString()).contains("only locks of set-nx-px can be");
            server.command("HSET", "data", "field", "value");
            server.command("SET", "lock.text", "value");
            server.command("SET", "lock.past", "1600000000");
            for (String name : List.of("data", "text", "past")) {
                assertThat(run(ExitCodes.OK, "show", name)).contains("nobody holds");
            }
        }
    }

    private void hold(String strategy, String name, LockConfig config) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                strategy,
                config.toBuilder().commandTimeout(Duration.ofMinutes(1)).build());
        factories.add(factory);
        factory.getLock(name).lock();
    }

    @Test
    @Tag("deep")
    void aWatchGoesOnWhenTheServerIsBack() throws Exception {
        FutureTask<String> watch = new FutureTask<>(() -> run(ExitCodes.OK, "watch", "--every", "1"));
        Thread watcher = new Thread(watch, "watcher");
        watcher.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> out.toString().contains("no lock is held"));
        server.stop();
        await().atMost(Duration.ofMinutes(1)).until(() -> err.toString().contains("interlock: "));
        server.restartWithData();
        lock("a").lock();
        await().atMost(Duration.ofMinutes(1)).until(() -> out.toString().contains("| a "));
        watcher.interrupt();
        assertThat(watch.get(1, TimeUnit.MINUTES)).contains("| a ");
    }

    /** The lists of the page suffice: one to look, and with the other to release as well. */
    @Test
    void theDocumentedAccessControlListsSuffice() throws IOException {
        List<String> lists = Files.readAllLines(Path.of("..", "..", "docs", "operating.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER"))
                .toList();
        lock("a").lock();
        user = "operator:s3cret@";
        server.command(lists.get(0).replace(">…", ">s3cret").split(" "));
        assertThat(run(ExitCodes.OK, "list")).contains("| a ");
        assertThat(run(ExitCodes.OK, "show", "a")).contains("lease left");
        run(ExitCodes.OK, "deadlocks");
        assertThat((List<?>) server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
        run(ExitCodes.FAILED, "release", "a", "--force", "--yes");
        assertThat(run(ExitCodes.OK, "list")).contains("| a ");

        server.command("ACL", "LOG", "RESET");
        server.command(lists.get(1).split(" "));
        run(ExitCodes.OK, "release", "a", "--force", "--yes");
        assertThat((List<?>) server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
        assertThat(out.toString() + err).doesNotContain("s3cret");
    }

    @Test
    void aServerThatIsNotThereIsAnErrorInALine() {
        server.stop();
        run(ExitCodes.FAILED, "list");
        assertThat(err.toString().lines().filter(line -> line.startsWith("interlock: ")))
                .hasSize(1);
    }

    @Test
    void serversThatCannotBeUsedTogetherAreAnErrorOfUsage() {
        int code = Main.run(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                "locks",
                "list",
                "--redis",
                "http://:hunter2@localhost");
        assertThat(code).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--redis").doesNotContain("hunter2");
    }
}
