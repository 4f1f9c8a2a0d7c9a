// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.testservers.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The commands of operators, on a server that programs use. */
class LocksCommandTest {
    private final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void close() {
        factories.forEach(DistributedLockFactory::close);
        server.close();
    }

    private DistributedLock lock(String name) {
        DistributedLockFactory factory = DistributedLocks.getInstance("set-nx-px", LockConfig.of(server.uri()));
        factories.add(factory);
        return factory.getLock(name);
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
        all.addAll(List.of("--redis", server.uri()));
        int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new));
        assertThat(code).as(err.toString()).isEqualTo(expected);
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
