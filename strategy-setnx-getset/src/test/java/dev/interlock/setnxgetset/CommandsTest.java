// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import dev.interlock.testservers.CommandMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The commands that are sent to the server, and the access control list in the documentation, which allows just these.
 */
class CommandsTest {
    private static final Path PAGE = Path.of("..", "docs", "strategies", "setnx-getset.md");

    private final Fixture redis = new Fixture();
    private DistributedLock lock;

    @BeforeEach
    void connect() {
        lock = Fixture.connect(redis.factory()).getLock(Fixture.NAME, Fixture.abandoned(Fixture.HOUR));
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private static List<String> names(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream().map(command -> command.get(0)).toList();
    }

    @Test
    void aFreeLockTakesOneCommand() {
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(names(monitor)).containsExactly("SETNX");
        }
    }

    @Test
    void aTakenOneTakesTwo() {
        redis.server.command("SET", Fixture.KEY, Long.toString(System.currentTimeMillis() / 1000 + 1000));
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(lock.tryLock()).isFalse();
            assertThat(names(monitor)).containsExactly("SETNX", "GET");
        }
    }

    @Test
    void aTakeOverIsGuarded() {
        redis.server.command("SET", Fixture.KEY, "1300000000");
        try (CommandMonitor monitor = redis.server.monitor()) {
            assertThat(lock.tryLock()).isTrue();
            assertThat(names(monitor)).containsExactly("SETNX", "GET", "WATCH", "GET", "MULTI", "GETSET", "EXEC");
        }
    }

    @Test
    void aReleaseIsGuarded() {
        lock.lock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.unlock();
            assertThat(names(monitor)).containsExactly("WATCH", "GET", "MULTI", "DEL", "EXEC");
        }
        assertThat(redis.value()).isNull();
    }

    @Test
    void aRenewalRewritesTheTimestampAndOnlyOurs() {
        lock.lock();
        String before = redis.value();
        // Four seconds less than what a fresh lease gives, so that the answer may take as long.
        Duration longer = Fixture.HOUR.minus(Duration.ofSeconds(40));
        Lease lease = lock.lease().orElseThrow();
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().compareTo(longer) < 0);
        try (CommandMonitor monitor = redis.server.monitor()) {
            lease.ensureValid(longer);
            assertThat(names(monitor)).containsExactly("WATCH", "GET", "MULTI", "GETSET", "EXEC");
        }
        assertThat(redis.value()).isNotEqualTo(before).isGreaterThan(before);
        lock.unlock();
        assertThat(redis.value()).isNull();
    }

    @Test
    void whatSomebodyElseHasWrittenIsNotDeleted() {
        lock.lock();
        String theirs = Long.toString(System.currentTimeMillis() / 1000 + 1000);
        redis.server.command("SET", Fixture.KEY, theirs);
        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(redis.value()).isEqualTo(theirs);
    }

    @Test
    void aTimestampThatHasPassedIsNotDeletedEvenIfItIsOurs() {
        // By a clock that is behind from the beginning the lease is long over for others, and the key theirs to take.
        DistributedLock behind = redis.skewed(Duration.ofHours(-2)).getLock(Fixture.NAME);
        behind.lock();
        assertThat(redis.factory().getLock(Fixture.NAME).tryLock()).isTrue();
        String theirs = redis.value();
        assertThatThrownBy(behind::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(redis.value()).isEqualTo(theirs);
    }

    @Test
    void theServersClockIsAskedEachTime() {
        DistributedLock byServer = redis.factory("clock", "server").getLock("by server");
        byServer.lock();
        byServer.unlock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            byServer.lock();
            byServer.unlock();
            assertThat(names(monitor)).containsExactly("TIME", "SETNX", "TIME", "WATCH", "GET", "MULTI", "DEL", "EXEC");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "server", "observed"})
    void theDocumentedAccessControlListSuffices(String clock) throws Exception {
        redis.server.command(documentedList(0).replace(">…", ">s3cret").split(" "));
        String uri = "redis://locker:s3cret@127.0.0.1:" + redis.server.port();
        DistributedLock mine = Fixture.connect(redis.factory(uri, Duration.ZERO, node -> node, "clock", clock))
                .getLock(Fixture.NAME, Fixture.abandoned(Duration.ofSeconds(3)));
        DistributedLock theirs = Fixture.connect(redis.factory(uri, Duration.ZERO, node -> node, "clock", clock))
                .getLock(Fixture.NAME);
        mine.lock();
        assertThat(theirs.tryLock()).isFalse();
        assertThat(theirs.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("a take-over")
                .isTrue();
        redis.server.command("CONFIG", "SET", "maxmemory", "1");
        theirs.unlock();
        assertThat(redis.value()).as("released in full memory").isNull();
        assertThat((List<?>) redis.server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
    }

    static String documentedList(int line) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(text -> text.startsWith("ACL SETUSER"))
                .toList()
                .get(line);
    }
}
