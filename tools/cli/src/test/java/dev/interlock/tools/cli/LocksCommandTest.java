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
import dev.interlock.LossCause;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import dev.interlock.testservers.SentinelServers;
import dev.interlock.tools.report.PublishedSchema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of operators, on a server that programs use. */
class LocksCommandTest {
    private final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String user = "";
    private String endpoints = server.uri();

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
        all.addAll(List.of("--redis", endpoints.replace("://", "://" + user)));
        int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new));
        assertThat(code).as(err.toString()).isEqualTo(expected);
        if (all.contains("--json")) {
            assertThat(PublishedSchema.problems(out.toString()))
                    .as("what the published schema says of %s", out)
                    .isEmpty();
        }
        return out.toString();
    }

    @Test
    void locksThatAreHeldAreListedAndShownWithoutTheirTokens() {
        assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
        assertThat(run(ExitCodes.OK, "show", "a")).isEqualTo("nobody holds lock \"a\"\n");
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
    void theFormatOfAForeignHolderIsTold() {
        String uuid = "6e1b2c7e-3f7d-4c15-9a52-0d8f7f2b9c11";
        String job = "ADDED:2026-11-25T21:00:00.000Z@node-1:" + uuid;
        server.command("SET", "app:a", "00112233445566778899aabbccddeeff", "PX", "60000");
        server.command("SET", "app:b", uuid, "PX", "60000");
        server.command("SET", "app:c", job, "PX", "60000");
        server.command("SET", "app:d", "whoever");
        assertThat(show("a")).contains("redlock 4 and 5").contains("lease left").doesNotContain("00112233");
        assertThat(show("b")).contains("RedisLockRegistry").doesNotContain("6e1b2c7e");
        assertThat(show("c")).contains("ShedLock").doesNotContain("node-1");
        assertThat(show("d")).contains("a format that is not known").contains("does not end by itself");
        assertThat(run(ExitCodes.OK, "list", "--wire", "plain", "--wire-prefix", "app:"))
                .contains("| a ", "| b ", "| c ", "| d ");
        assertThat(run(
                        ExitCodes.FAILED,
                        "release",
                        "a",
                        "--force",
                        "--yes",
                        "--strategy",
                        "set-nx-px",
                        "--wire",
                        "plain",
                        "--wire-prefix",
                        "app:"))
                .isEmpty();
        assertThat(server.command("EXISTS", "app:a")).isEqualTo(1L);
    }

    @Test
    void whoeverAsksForALockIsToldOfAPlainKeyOfThatName() {
        server.command("SET", "jobs:a", "00112233445566778899aabbccddeeff", "PX", "60000");
        server.command("RPUSH", "jobs:b", "something else");
        assertThat(run(ExitCodes.OK, "show", "jobs:a")).isEqualTo("nobody holds lock \"jobs:a\"\n");
        assertThat(err.toString())
                .contains(
                        "the key \"jobs:a\" itself is held by a client of another make",
                        "redlock 4 and 5",
                        "--wire plain")
                .doesNotContain("00112233");
        err.getBuffer().setLength(0);
        assertThat(run(ExitCodes.OK, "show", "jobs:b")).isEqualTo("nobody holds lock \"jobs:b\"\n");
        assertThat(err.toString()).isEmpty();
    }

    private String show(String name) {
        return run(ExitCodes.OK, "show", name, "--strategy", "set-nx-px", "--wire", "plain", "--wire-prefix", "app:");
    }

    @Test
    void aHolderOfOursUnderAPlainKeyIsShownAsAlways() {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                patient(LockConfig.of(server.uri())).toBuilder()
                        .option("wire", "plain")
                        .option("wire-prefix", "app:")
                        .build());
        factories.add(factory);
        factory.getLock("a").lock();
        assertThat(show("a"))
                .containsPattern("held by +\\| .*factory [0-9a-f]{12}")
                .doesNotContain("note");
        assertThat(run(ExitCodes.OK, "show", "a")).startsWith("nobody holds");
        assertThat(err.toString()).isEmpty();
        assertThat(run(ExitCodes.OK, "show", "app:a")).startsWith("nobody holds");
        assertThat(err.toString()).contains("the key \"app:a\" itself is held by a program with wire=plain");
    }

    @Test
    void aReleaseByForceIsAnnouncedAsThoseOfThePrograms() throws Exception {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                patient(LockConfig.of(server.uri())).toBuilder()
                        .option("wire", "plain")
                        .build());
        factories.add(factory);
        factory.getLock("a").lock();
        try (RespConnection ear = new RespConnection("127.0.0.1", server.port(), 60_000)) {
            ear.call("SUBSCRIBE", "freed");
            run(
                    ExitCodes.OK,
                    "release",
                    "a",
                    "--force",
                    "--yes",
                    "--strategy",
                    "set-nx-px",
                    "--wire",
                    "plain",
                    "--wire-announce",
                    "freed");
            assertThat(ear.read()).isEqualTo(List.of("message", "freed", "a"));
        }
    }

    @Test
    void clientsThatShareLocksAreListed() {
        Main.run(new PrintWriter(out, true), new PrintWriter(err, true), "wires");
        assertThat(out.toString())
                .contains("redis-py", "wire-prefix=job-lock:<environment>:", "compares and deletes in a script")
                .containsPattern("tested +\\| run\\b")
                .containsPattern("tested +\\| by format, not run\\b");
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

    /** That the lease is gone is what its renewal finds. Its own end would be told as another cause. */
    @Test
    @Tag("deep")
    void aReleaseByForceIsToldToTheHolderByItsNextRenewal() throws Exception {
        DistributedLock held = lock("a").withLease(Duration.ofSeconds(15));
        held.lock();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        held.lease().orElseThrow().onLoss(told::complete);
        run(ExitCodes.OK, "release", "a", "--force", "--yes");
        assertThat(told.get(1, TimeUnit.MINUTES)).isEqualTo(LossCause.GONE);
        assertThatThrownBy(held::unlock).isInstanceOf(LeaseLostException.class);
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
    void locksOfAllStrategiesOfOneServerAreListedAndReleased() {
        LockConfig one = LockConfig.of(server.uri());
        hold("setnx-getset", "old", one);
        DistributedLock plain = hold("redisson", "plain", one);
        lock("a").lock();
        assertThat(run(ExitCodes.OK, "list"))
                .containsPattern("\\| plain +\\| +redisson \\| +factory [0-9a-f]{12}, client [0-9a-f-]{36} \\|.* s \\|")
                .containsPattern("\\| old +\\| +setnx-getset \\| +not known \\|.* s \\| not known \\|")
                .containsPattern("\\| a +\\| +set-nx-px \\|");
        assertThat(err.toString()).isEmpty();
        assertThat(run(ExitCodes.OK, "show", "old")).contains("does not say who holds the lock");
        assertThat(run(ExitCodes.OK, "list", "--strategy", "redisson"))
                .contains("| plain ")
                .doesNotContain("| a ");
        JsonObject json = JsonParser.parseString(run(ExitCodes.OK, "show", "plain", "--json"))
                .getAsJsonObject();
        assertThat(json.get("schemaVersion").getAsInt()).isEqualTo(2);
        JsonObject shown = json.getAsJsonArray("locks").get(0).getAsJsonObject();
        assertThat(shown.getAsJsonObject("holder").keySet()).contains("factory", "claim", "clientId");

        run(ExitCodes.OK, "release", "plain", "--force", "--yes");
        run(ExitCodes.OK, "release", "old", "--force", "--yes");
        assertThat(err.toString()).contains("released lock \"old\" of not known, as asked by");
        assertThatThrownBy(plain::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(run(ExitCodes.OK, "list")).contains("| a ").doesNotContain("plain", "old");

        server.command("SET", "lock.a", soon());
        run(ExitCodes.OK, "show", "a");
        run(ExitCodes.USAGE, "release", "a", "--force", "--yes");
        assertThat(err.toString()).contains("--strategy", "set-nx-px, setnx-getset");
        run(ExitCodes.FAILED, "list", "--strategy", "unheard-of");
        assertThat(err.toString()).contains("say one of redisson, redlock, set-nx-px, setnx-getset");
    }

    @Test
    void independentServersAreLookedAtTogether() {
        try (RedisServer second = RedisServer.start();
                RedisServer third = RedisServer.start()) {
            String servers = String.join(",", server.uri(), second.uri(), third.uri());
            DistributedLock most = hold(
                    "redlock",
                    "most",
                    LockConfig.builder()
                            .endpoints(servers)
                            .option("cold-start", "trust")
                            .option("node-timeout", "10s")
                            .build());
            // Two of three grant the lock. The third may not get the key: it does not know the script yet, and nobody
            // waits for its answer.
            RedisServer granting = Stream.of(server, second, third)
                    .filter(each -> each.command("GET", "interlock:{most}") != null)
                    .findFirst()
                    .orElseThrow();
            endpoints = granting.uri();
            assertThat(run(ExitCodes.OK, "show", "most")).contains("1 of 1, no majority", "name them all");
            endpoints = servers;
            assertThat(run(ExitCodes.OK, "list")).containsPattern("\\| most +\\| +redlock \\|.*, [23] of 3 \\|");
            String json = run(ExitCodes.OK, "show", "most", "--json");
            assertThat(json)
                    .contains("\"votes\"", "\"majority\": true")
                    .doesNotContain(String.valueOf(granting.command("GET", "interlock:{most}")));
            third.stop();
            assertThat(run(ExitCodes.OK, "list")).contains("| most ");
            assertThat(err.toString()).contains("interlock: redis://127.0.0.1:" + third.port());
            third.restart();

            run(ExitCodes.OK, "release", "most", "--force", "--yes");
            assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
            assertThatThrownBy(most::unlock).isInstanceOf(LeaseLostException.class);
        }
    }

    @Test
    @Tag("deep")
    void locksInAClusterAreListedAndReleased() {
        try (ClusterServers cluster = ClusterServers.start(3, 0)) {
            endpoints = cluster.uri();
            showsAndReleases();
        }
    }

    @Test
    @Tag("deep")
    void locksBehindSentinelsAreListedAndReleased() {
        try (SentinelServers sentinels = SentinelServers.start(1)) {
            endpoints = sentinels.uri();
            showsAndReleases();
        }
    }

    /** All strategies that are not for independent servers. */
    private void showsAndReleases() {
        Map<String, String> strategies = Map.of("one", "redisson", "two", "set-nx-px", "three", "setnx-getset");
        List<DistributedLock> held = new ArrayList<>();
        strategies.forEach((name, strategy) -> held.add(hold(strategy, name, LockConfig.of(endpoints))));
        String list = run(ExitCodes.OK, "list");
        strategies.forEach((name, strategy) -> {
            assertThat(list).containsPattern("\\| " + name + " +\\| +" + strategy + " ");
            run(ExitCodes.OK, "release", name, "--force", "--yes");
        });
        assertThat(run(ExitCodes.OK, "list")).isEqualTo("no lock is held\n");
        held.forEach(lock -> assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class));
        factories.forEach(DistributedLockFactory::close);
        factories.clear();
    }

    private DistributedLock hold(String strategy, String name, LockConfig config) {
        DistributedLockFactory factory = DistributedLocks.getInstance(strategy, patient(config));
        factories.add(factory);
        DistributedLock lock = factory.getLock(name);
        lock.lock();
        return lock;
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
    @ParameterizedTest
    @ValueSource(strings = {"set-nx-px", "redlock", "redisson", "setnx-getset"})
    void theDocumentedAccessControlListsSuffice(String strategy) throws IOException {
        List<String> page = Files.readAllLines(Path.of("..", "..", "docs", "operating.md"));
        List<String> lists = page.subList(page.indexOf("### `" + strategy + "`"), page.size()).stream()
                .filter(line -> line.startsWith("ACL SETUSER"))
                .limit(2)
                .toList();
        try (RedisServer second = RedisServer.start()) {
            List<RedisServer> servers = strategy.equals("redlock") ? List.of(server, second) : List.of(server);
            endpoints = servers.stream().map(RedisServer::uri).collect(Collectors.joining(","));
            LockConfig.Builder config = LockConfig.builder().endpoints(endpoints);
            if (strategy.equals("redlock")) {
                config.option("cold-start", "trust")
                        .option("even-nodes", "allow")
                        .option("node-timeout", "10s");
            }
            hold(strategy, "a", config.build());
            user = "operator:s3cret@";
            command(servers, lists.get(0).replace(">…", ">s3cret").split(" "));
            assertThat(run(ExitCodes.OK, "list", "--strategy", strategy)).contains("| a ");
            assertThat(run(ExitCodes.OK, "show", "a", "--strategy", strategy)).contains("lease left");
            run(ExitCodes.OK, "deadlocks", "--strategy", strategy);
            assertNothingRefused(servers);
            run(ExitCodes.FAILED, "release", "a", "--force", "--yes", "--strategy", strategy);
            assertThat(run(ExitCodes.OK, "list", "--strategy", strategy)).contains("| a ");

            command(servers, "ACL", "LOG", "RESET");
            command(servers, lists.get(1).split(" "));
            run(ExitCodes.OK, "release", "a", "--force", "--yes", "--strategy", strategy);
            assertNothingRefused(servers);
            assertThat(out.toString() + err).doesNotContain("s3cret");
        }
    }

    @Test
    void keysThatTheUserMayNotReadAreSaidToBeThereAndDoNotHideTheOthers() throws IOException {
        lock("a").lock();
        server.command("SET", "lock.old", soon());
        String list = Files.readAllLines(Path.of("..", "..", "docs", "operating.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER"))
                .findFirst()
                .orElseThrow();
        server.command(list.replace(">…", ">s3cret").split(" "));
        user = "operator:s3cret@";
        assertThat(run(ExitCodes.OK, "list")).contains("| a ").doesNotContain("old");
        assertThat(err.toString())
                .contains("interlock: keys of setnx-getset cannot be read")
                .doesNotContain("s3cret");
    }

    /** A historical client's timestamp. */
    private static String soon() {
        return Long.toString(Instant.now().getEpochSecond() + 1_000);
    }

    private static void command(List<RedisServer> servers, String... command) {
        servers.forEach(server -> server.command(command));
    }

    private static void assertNothingRefused(List<RedisServer> servers) {
        servers.forEach(server -> assertThat((List<?>) server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty());
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
