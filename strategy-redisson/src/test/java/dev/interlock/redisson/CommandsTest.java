// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.testservers.CommandMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that are sent to the server, and the access control list in the documentation, which allows them. */
class CommandsTest {
    private static final Path PAGE = Path.of("..", "docs", "strategies", "redisson.md");

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    /**
     * Makes sure that the server knows the scripts, and that there are connections, so that what follows can be
     * counted.
     */
    private DistributedLock warm(DistributedLockFactory factory) {
        DistributedLock lock = factory.getLock("warm-up", Fixture.lease(Fixture.LONG));
        lock.lock();
        lock.lock();
        renewByHand(lock.lease().orElseThrow());
        lock.unlock();
        lock.unlock();
        return factory.getLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
    }

    private static void renewByHand(Lease lease) {
        // The lease less the drift allowance of 1 %.
        Duration atLeast = Fixture.LONG.minus(Fixture.LONG.dividedBy(100)).minusSeconds(1);
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().compareTo(atLeast) < 0);
        // A renewal whose answer takes more than the second leaves less, and is repeated.
        await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .untilAsserted(() -> lease.ensureValid(atLeast));
    }

    private static List<String> sent(CommandMonitor monitor) {
        monitor.sync();
        return monitor.commands().stream().map(command -> command.get(0)).toList();
    }

    @Test
    void anUncontendedPairTakesTwoRequests() {
        DistributedLock lock = warm(redis.factory(config -> config));
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            lock.lock();
            lock.unlock();
            lock.unlock();
            assertThat(sent(monitor)).containsExactly("EVALSHA", "EVALSHA");
        }
    }

    @Test
    void holdsInRedisTakeARequestEach() {
        DistributedLock lock = warm(redis.factory(config -> config.option("holds", "redis")));
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.lock();
            assertThat(sent(monitor)).hasSize(2);
            lock.lock();
            assertThat(sent(monitor)).hasSize(3);
            lock.unlock();
            assertThat(sent(monitor)).hasSize(4);
            lock.unlock();
            assertThat(sent(monitor)).hasSize(5).containsOnly("EVALSHA");
        }
    }

    @Test
    void manyLeasesAreRenewedByOneRequest() {
        DistributedLockFactory factory = redis.factory(config -> config);
        warm(factory);
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            DistributedLock lock = factory.getLock("many " + i, Fixture.lease(Duration.ofSeconds(15)));
            lock.lock();
            locks.add(lock);
        }
        try (CommandMonitor monitor = redis.server.monitor()) {
            await().atMost(Fixture.PATIENCE).until(() -> {
                monitor.sync();
                return monitor.commands().stream()
                                .filter(command -> command.get(0).equals("EVALSHA"))
                                .mapToInt(command -> Integer.parseInt(command.get(2)))
                                .sum()
                        >= 100;
            });
            assertThat(sent(monitor)).as("renewals of 100 leases").hasSizeLessThan(50);
        }
        locks.forEach(DistributedLock::unlock);
    }

    @Tag("deep")
    @Test
    void aSubscriptionIsKeptForAMomentSinceALockThatWasWaitedForIsWaitedForAgain() throws Exception {
        DistributedLock ours = warm(redis.factory(config -> config.waitCeiling(Duration.ofMinutes(5))));
        DistributedLock theirs = warm(redis.factory(config -> config));
        int rounds = 10;
        try (CommandMonitor monitor = redis.server.monitor()) {
            for (int i = 1; i <= rounds; i++) {
                theirs.lock();
                long before = scripts(monitor);
                FutureTask<Boolean> waiter = waiter(ours);
                await("a refusal").atMost(Fixture.PATIENCE).until(() -> scripts(monitor) > before);
                theirs.unlock();
                assertThat(Fixture.result(waiter)).isTrue();
            }
            // As many as rounds if none was kept; more than one if this machine stood still for longer than a moment.
            assertThat(sent(monitor)).filteredOn("SUBSCRIBE"::equals).hasSizeLessThan(rounds);
        }
        await().atMost(Fixture.PATIENCE).until(() -> redis.listeners() == 0);
    }

    private static long scripts(CommandMonitor monitor) {
        return sent(monitor).stream().filter("EVALSHA"::equals).count();
    }

    private static FutureTask<Boolean> waiter(DistributedLock lock) {
        return Fixture.start(() -> {
            lock.lock();
            lock.unlock();
            return true;
        });
    }

    @Test
    void aScriptThatTheServerHasForgottenIsSentAgain() {
        DistributedLock lock = warm(redis.factory(config -> config));
        redis.server.command("SCRIPT", "FLUSH");
        lock.lock();
        redis.server.command("SCRIPT", "FLUSH");
        lock.unlock();
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void withoutFencingNoTokenIsKept() {
        DistributedLock lock =
                redis.factory(config -> config.option("fencing", "false")).getLock(Fixture.NAME);
        lock.lock();
        assertThat(lock.lease().orElseThrow().fencingToken()).isEmpty();
        assertThat(redis.server.command("EXISTS", Fixture.TOKEN)).isEqualTo(0L);
        lock.unlock();
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "redis"})
    void theDocumentedAccessControlListSuffices(String holds) throws Exception {
        redis.server.command(documentedList(0).replace(">…", ">s3cret").split(" "));
        DistributedLock mine = listed(holds);
        DistributedLock theirs = listed(holds);
        mine.lock();
        mine.lock();
        FutureTask<Object> waiter = Fixture.start(() -> {
            theirs.lock();
            theirs.unlock();
            return true;
        });
        redis.awaitWaiter();
        renewByHand(mine.lease().orElseThrow());
        mine.unlock();
        mine.unlock();
        assertThat(Fixture.result(waiter)).isEqualTo(true);
        assertThat(((List<?>) redis.server.command("ACL", "LOG")).toString())
                .as("commands that were refused, but for Redisson's own look for a cluster, which it does without")
                .doesNotContain("invoice");
    }

    @Test
    void theDocumentedAccessControlListForReadWriteLocksSuffices() throws Exception {
        redis.server.command(documentedList(4).replace(">…", ">s3cret").split(" "));
        DistributedReadWriteLock mine = listedReadWrite();
        DistributedReadWriteLock theirs = listedReadWrite();
        mine.writeLock().lock();
        mine.readLock().lock();
        List<FutureTask<Boolean>> waiters = List.of(waiter(theirs.readLock()), waiter(theirs.writeLock()));
        await().atMost(Fixture.PATIENCE)
                .until(() -> ((List<?>) redis.server.command("PUBSUB", "NUMSUB", "redisson_rwlock:{invoice:42}"))
                        .get(1)
                        .equals(1L));
        renewByHand(mine.writeLock().lease().orElseThrow());
        renewByHand(mine.readLock().lease().orElseThrow());
        assertThat(theirs.readLock().isLocked()).isTrue();
        mine.writeLock().unlock();
        mine.readLock().unlock();
        for (FutureTask<Boolean> waiter : waiters) {
            assertThat(Fixture.result(waiter)).isTrue();
        }
        assertThat(((List<?>) redis.server.command("ACL", "LOG")).toString())
                .as("commands that were refused, but for Redisson's own look for a cluster, which it does without")
                .doesNotContain("invoice");
    }

    private DistributedReadWriteLock listedReadWrite() {
        return redis.factory(config -> config.endpoints("redis://locker:s3cret@127.0.0.1:" + redis.server.port()))
                .getReadWriteLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
    }

    private DistributedLock listed(String holds) {
        return redis.factory(config -> config.endpoints("redis://locker:s3cret@127.0.0.1:" + redis.server.port())
                        .option("holds", holds))
                .getLock(Fixture.NAME, Fixture.lease(Fixture.LONG));
    }

    static String documentedList(int line) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(text -> text.startsWith("ACL SETUSER"))
                .toList()
                .get(line);
    }

    @Test
    void aRefusalShowsTheServersWordsAndNoOwner() {
        redis.server.command("SET", Fixture.NAME, "something else");
        DistributedLock lock = redis.lock(Fixture.lease(Fixture.LONG));
        assertThatThrownBy(lock::lock).isInstanceOfSatisfying(LockBackendException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.REFUSED);
            assertThat(e).hasMessageContaining("WRONGTYPE").hasMessageContaining("choose another name or key prefix");
            assertThat(e.getMessage()).doesNotContain("EVALSHA", "params", "channel");
            assertThat(e).hasNoCause();
        });
    }

    @Test
    void aWrongPasswordIsRefusedAndNotShown() {
        redis.server.command("ACL SETUSER locker on >right ~* &* +@all".split(" "));
        DistributedLock lock = redis.factory(
                        config -> config.endpoints("redis://locker:wr0ng@127.0.0.1:" + redis.server.port()))
                .getLock(Fixture.NAME);
        assertThatThrownBy(lock::tryLock).isInstanceOfSatisfying(LockBackendException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.REFUSED);
            assertThat(e).hasMessageContaining("WRONGPASS").hasMessageContaining("check user and password");
            assertThat(e.getMessage()).doesNotContain("wr0ng");
        });
    }
}
