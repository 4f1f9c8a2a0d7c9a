// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.request.AccessControlTest;
import dev.interlock.testservers.RedisServerException;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Locks that count once they are on disk, which the servers that the other tests start cannot say. */
@Tag("conformance")
@EnabledIfSystemProperty(
        named = "interlock.redis",
        matches = "containers",
        disabledReason = "WAITAOF takes a newer server than the embedded one: -Dinterlock.redis=containers starts it")
class DurabilityTest {
    private static final int PORT = 6379;
    private static final String NAME = "durable";
    private static final Duration LONG_LEASE = Duration.ofMinutes(10);
    private static final Pattern CALLS = Pattern.compile("cmdstat_waitaof:calls=(\\d+)");

    private final GenericContainer<?> container = new GenericContainer<>(
                    DockerImageName.parse(System.getProperty("interlock.redis.image", "redis:7.0")))
            .withExposedPorts(PORT)
            .withCommand(
                    "--appendonly", "yes", "--appendfsync", "always", "--protected-mode", "no", "--bind", "0.0.0.0")
            .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
    private final List<DistributedLockFactory> factories = new ArrayList<>();

    @BeforeEach
    void startServer() {
        container.start();
        Object known = ((List<?>) command("COMMAND", "INFO", "WAITAOF")).get(0);
        assumeThat(known)
                .as("what %s says of WAITAOF, which Redis has since 7.2", container.getDockerImageName())
                .isNotNull();
    }

    @AfterEach
    void stopServer() {
        factories.forEach(DistributedLockFactory::close);
        container.stop();
    }

    private Object command(String... args) {
        try (RespConnection connection = new RespConnection(
                container.getHost(), container.getMappedPort(PORT), (int) Fixture.PATIENCE.toMillis())) {
            Object reply = connection.call(args);
            if (reply instanceof RedisServerException error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private DistributedLock lock(String client, String user, Duration timeout, Duration lease) {
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints("redis://" + user + container.getHost() + ":" + container.getMappedPort(PORT))
                        .commandTimeout(timeout)
                        .option("client", client)
                        .option("durability", "disk")
                        .build());
        factories.add(factory);
        return factory.getLock(NAME, Fixture.lease(lease));
    }

    private long waits() {
        Matcher calls = CALLS.matcher(String.valueOf(command("INFO", "commandstats")));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    @Test
    void acquisitionsAndRenewalsWaitForTheDisk() {
        for (String client : List.of("interlock", "lettuce")) {
            DistributedLock lock = lock(client, "", Fixture.PATIENCE, Duration.ofMinutes(1));
            // Makes the connection, and the script known.
            Fixture.pass(lock);
            long before = waits();
            lock.lock();
            assertThat(waits()).isEqualTo(before + 1);
            Fixture.renewByHand(lock.lease().orElseThrow());
            assertThat(waits()).isGreaterThan(before + 1);
            long renewed = waits();
            lock.unlock();
            assertThat(waits()).as("a release waits for nothing").isEqualTo(renewed);
        }
    }

    @Test
    void aLockThatIsNotOnDiskInTimeIsGivenBackAndReported() {
        DistributedLock lock = lock("interlock", "", Duration.ofSeconds(4), LONG_LEASE);
        Fixture.pass(lock);
        command("CONFIG", "SET", "appendfsync", "no");
        LockBackendException failure = null;
        // A reply that a busy machine reads too late says less.
        for (int i = 0; i < 10 && (failure == null || failure.reason() == Reason.OUTCOME_UNKNOWN); i++) {
            failure = catchThrowableOfType(LockBackendException.class, lock::lock);
            assertThat(failure).isNotNull();
        }
        assertThat(failure)
                .hasMessageContaining("lock \"durable\" was granted and is given back")
                .hasMessageContaining("did not write EVALSHA to its disk in time")
                .extracting(LockBackendException::reason)
                .isEqualTo(Reason.UNREACHABLE);
        await().atMost(Fixture.PATIENCE)
                .until(() -> command("EXISTS", Fixture.key(NAME)).equals(0L));
        command("CONFIG", "SET", "appendfsync", "always");
        Fixture.pass(lock);
    }

    @Test
    void aServerWithoutAnAppendOnlyFileIsNamed() {
        command("CONFIG", "SET", "appendonly", "no");
        DistributedLock lock = lock("interlock", "", Fixture.PATIENCE, LONG_LEASE);
        assertThatThrownBy(lock::lock)
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
                .hasMessageContaining("refused WAITAOF")
                .hasMessageContaining("appendonly");
        assertThat(command("EXISTS", Fixture.key(NAME))).isEqualTo(0L);
    }

    @Test
    void aUserWithTheDocumentedListsMayWaitForTheDisk() throws IOException {
        for (int line : List.of(0, 3)) {
            command(AccessControlTest.documentedList(line)
                    .replace(">…", ">s3cret")
                    .split(" "));
        }
        Fixture.pass(lock("interlock", "locker:s3cret@", Fixture.PATIENCE, LONG_LEASE));
        assertThat((List<?>) command("ACL", "LOG")).isEmpty();
    }
}
