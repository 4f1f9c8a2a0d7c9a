// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.request.AccessControlTest;
import dev.interlock.testservers.RedisServerException;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Releases by the command that newer servers have for it, which the servers that the other tests start have not. */
@Tag("conformance")
@EnabledIfSystemProperty(
        named = "interlock.redis",
        matches = "containers",
        disabledReason = "DELIFEQ takes a newer server than the embedded one: -Dinterlock.redis=containers starts it")
class NativeDeleteTest {
    private static final int PORT = 6379;
    private static final String NAME = "native";

    private static final GenericContainer<?> CONTAINER = new GenericContainer<>(
                    DockerImageName.parse(System.getProperty("interlock.redis.image", "redis:7.0")))
            .withExposedPorts(PORT)
            .withCommand("--protected-mode", "no", "--bind", "0.0.0.0")
            .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));

    /** The command of this server, and the line of the documented lists that allows it. */
    private static String command = "";

    private static int line;

    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @BeforeAll
    static void startServer() {
        CONTAINER.start();
        List<String> commands = List.of("DELIFEQ", "DELEX");
        List<?> known = (List<?>) Objects.requireNonNull(call("COMMAND", "INFO", "DELIFEQ", "DELEX"));
        for (int i = 0; i < commands.size(); i++) {
            if (known.get(i) != null) {
                command = commands.get(i);
                line = 4 + i;
            }
        }
        assumeThat(command)
                .as("what %s has for a conditional delete", CONTAINER.getDockerImageName())
                .isNotEmpty();
    }

    @AfterAll
    static void stopServer() {
        CONTAINER.stop();
    }

    @BeforeEach
    void forgetWhatWas() throws IOException {
        call("CONFIG", "RESETSTAT");
        call("ACL", "LOG", "RESET");
        call(AccessControlTest.documentedList(0).replace(">…", ">s3cret").split(" "));
    }

    @AfterEach
    void closeFactories() {
        factories.forEach(DistributedLockFactory::close);
    }

    private static Object call(String... args) {
        try (RespConnection connection = new RespConnection(
                CONTAINER.getHost(), CONTAINER.getMappedPort(PORT), (int) Fixture.PATIENCE.toMillis())) {
            Object reply = connection.call(args);
            if (reply instanceof RedisServerException error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private DistributedLock lock() {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints("redis://locker:s3cret@" + CONTAINER.getHost() + ":" + CONTAINER.getMappedPort(PORT))
                        .commandTimeout(Fixture.PATIENCE)
                        .build());
        factories.add(factory);
        return factory.getLock(NAME, Fixture.lease(Duration.ofMinutes(5)));
    }

    private static long calls() {
        Matcher calls = Pattern.compile("cmdstat_" + command.toLowerCase(Locale.ROOT) + ":calls=(\\d+)")
                .matcher(String.valueOf(call("INFO", "commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    @Test
    void aUserWhoMayReleasesByTheServersOwnCommandAndHandsOverByTheScript() throws Exception {
        call(AccessControlTest.documentedList(line).split(" "));
        DistributedLock mine = lock();
        DistributedLock theirs = lock();
        Fixture.pass(mine);
        assertThat(calls()).as("the first release looks for it").isZero();
        Fixture.pass(mine);
        assertThat(calls()).isEqualTo(1);
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        await().atMost(Fixture.PATIENCE)
                .until(() -> String.valueOf(call("GET", Fixture.key(NAME))).endsWith(LockWord.MARK));
        mine.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(Fixture.PATIENCE).until(() -> call("GET", Fixture.key(NAME)) == null);
        assertThat(calls()).as("it has met the mark").isGreaterThanOrEqualTo(2);
        assertThat((List<?>) call("ACL", "LOG")).isEmpty();
    }

    @Test
    void aUserWhoMayNotNeverAsksForIt() {
        DistributedLock lock = lock();
        for (int i = 0; i < 3; i++) {
            Fixture.pass(lock);
        }
        assertThat(calls()).isZero();
        assertThat(call("GET", Fixture.key(NAME))).isNull();
        assertThat((List<?>) call("ACL", "LOG")).as("nothing was refused").isEmpty();
    }

    @Test
    void aUserFromWhomItIsTakenReleasesByTheScript() throws IOException {
        call(AccessControlTest.documentedList(line).split(" "));
        DistributedLock lock = lock();
        for (int i = 0; i < 2; i++) {
            Fixture.pass(lock);
        }
        assertThat(calls()).isEqualTo(1);
        call("ACL", "SETUSER", "locker", "-" + command.toLowerCase(Locale.ROOT));
        for (int i = 0; i < 2; i++) {
            Fixture.pass(lock);
            assertThat(call("GET", Fixture.key(NAME))).isNull();
        }
    }
}
