// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.testservers.CommandMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;

/** Each line of the table in the documentation: what a plain lock does, and what ours does in the same situation. */
@Tag("deep")
class RLockComparedTest {
    private static final Path PAGE = Path.of("..", "docs", "strategies", "redisson.md");

    private static final int PAIRS = 100;

    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    /** Fails unless the documentation has this line. */
    private static void documented(String behaviour, String plain, String ours) throws IOException {
        assertThat(Files.readString(PAGE)).contains("\n| " + behaviour + " | " + plain + " | " + ours + " |\n");
    }

    private DistributedLock ours(String name) {
        return redis.factory(config -> config.waitCeiling(Duration.ofMillis(500)))
                .getLock(name, Fixture.lease(Duration.ofSeconds(30)));
    }

    /**
     * Locks on a thread that is interrupted once it waits, and returns whether the thread was interrupted when it had
     * the lock.
     */
    private FutureTask<Boolean> interruptedWaiter(Lock lock) {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Boolean> task = Fixture.start(() -> {
            thread.complete(Thread.currentThread());
            lock.lock();
            boolean interrupted = Thread.interrupted();
            lock.unlock();
            return interrupted;
        });
        redis.awaitWaiter();
        awaitWaiting(thread.join());
        thread.join().interrupt();
        // A plain lock has noticed the interrupt when it has cleared the flag; nothing else shows it.
        await().atMost(Fixture.PATIENCE).until(() -> !thread.join().isInterrupted());
        return task;
    }

    /** Waits until a thread waits for a lock to be released, rather than for an answer of the server. */
    private static void awaitWaiting(Thread thread) {
        await().atMost(Fixture.PATIENCE)
                .until(() -> Stream.of(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals("java.util.concurrent.Semaphore")
                                || (frame.getClassName().equals("dev.interlock.engine.threads.Wait")
                                        && frame.getMethodName().equals("park"))));
    }

    @Test
    void anInterruptWhileLockWaits() throws Exception {
        documented("interrupt while `lock()` waits", "the flag is lost", "waits on, and the flag is set at the end");
        RedissonClient holder = redis.plain();
        holder.getLock(Fixture.NAME).lock();
        FutureTask<Boolean> plain = interruptedWaiter(redis.plain().getLock(Fixture.NAME));
        holder.getLock(Fixture.NAME).unlock();
        assertThat(Fixture.result(plain)).isFalse();

        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken());
        holder.getLock(Fixture.NAME).lock();
        FutureTask<Boolean> ours = interruptedWaiter(ours(Fixture.NAME));
        holder.getLock(Fixture.NAME).unlock();
        assertThat(Fixture.result(ours)).isTrue();
    }

    @Test
    void lockOfAFreeLockByAnInterruptedThread() throws Exception {
        documented(
                "`lock()` of a free lock by an interrupted thread",
                "`RedisException`; the key is set, and renewed for as long as the JVM lives",
                "locks, and the flag is set");
        // A watchdog of nine seconds, where Redisson has 30, so that renewal shows.
        RLock plain =
                redis.plain(config -> config.setLockWatchdogTimeout(9_000)).getLock("plain");
        FutureTask<Boolean> interrupted = Fixture.start(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(plain::lock)
                    .isInstanceOf(RedisException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return true;
        });
        Fixture.result(interrupted);
        await().atMost(Fixture.PATIENCE).until(plain::isLocked);
        await().atMost(Fixture.PATIENCE).until(() -> timeToLive("plain") < 7_500);
        await("renewed").atMost(Fixture.PATIENCE).until(() -> timeToLive("plain") > 8_000);

        DistributedLock ours = ours("ours");
        assertThat(Fixture.result(Fixture.start(() -> {
                    Thread.currentThread().interrupt();
                    ours.lock();
                    boolean flag = Thread.interrupted();
                    ours.unlock();
                    return flag;
                })))
                .isTrue();
        assertThat(redis.server.command("EXISTS", "ours")).isEqualTo(0L);
    }

    private long timeToLive(String name) {
        return (Long) redis.server.command("PTTL", name);
    }

    @Test
    void aMessageThatIsLost() throws Exception {
        documented(
                "the message of a release is lost",
                "waits for the rest of the holder's lease, 30 s unless set otherwise",
                "asks again within `waitCeiling` (1 s)");
        RLock plain = redis.plain().getLock("plain");
        DistributedLock ours = ours("ours");
        for (String name : List.of("plain", "ours")) {
            redis.server.command("HSET", name, "somebody:1", "1");
            redis.server.command("PEXPIRE", name, "15000");
        }
        BlockingQueue<String> order = new LinkedBlockingQueue<>();
        CompletableFuture<Thread> plainThread = new CompletableFuture<>();
        Fixture.start(() -> {
            plainThread.complete(Thread.currentThread());
            plain.lock();
            return order.add("plain");
        });
        Fixture.start(() -> {
            ours.lock();
            return order.add("ours");
        });
        for (String name : List.of("plain", "ours")) {
            await().atMost(Fixture.PATIENCE)
                    .until(() -> ((List<?>)
                                    redis.server.command("PUBSUB", "NUMSUB", "redisson_lock__channel:{" + name + "}"))
                            .get(1)
                            .equals(1L));
        }
        awaitWaiting(plainThread.join());
        // Freed without a message, as when the connection of the subscription is broken.
        redis.server.command("DEL", "plain", "ours");
        assertThat(order.poll(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("ours");
        assertThat(order.poll(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("plain");
    }

    @Test
    void anAcquisitionThatTimesOutWhileTheServerStandsStill() throws Exception {
        documented(
                "`tryLock(time)` while the server stands still, which then carries the request out",
                "throws after Redisson's time-outs; the lock stays taken by nobody for a lease",
                "throws after `commandTimeout`; the lock is given back in the background");
        RedissonClient client =
                redis.plain(config -> config.useSingleServer().setTimeout(8_000).setRetryAttempts(0));
        RLock plain = client.getLock("plain");
        DistributedLock ours = redis.factory(config -> config.commandTimeout(Duration.ofSeconds(8)))
                .getLock("ours", Fixture.lease(Fixture.LONG));
        plain.lock();
        plain.unlock();
        ours.lock();
        ours.unlock();

        redis.server.pause();
        try {
            assertThatThrownBy(() -> plain.tryLock(100, Fixture.LONG.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(RedisException.class);
            assertThatThrownBy(() -> ours.tryLock(100, TimeUnit.MILLISECONDS)).isInstanceOf(LockBackendException.class);
        } finally {
            redis.server.resume();
        }
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.server.command("EXISTS", "plain").equals(1L));
        await().during(Duration.ofSeconds(1))
                .atMost(Fixture.PATIENCE)
                .until(() -> redis.server.command("EXISTS", "ours").equals(0L));
        assertThat(plain.isHeldByCurrentThread())
                .as("the thread that was told it had failed")
                .isTrue();
        assertThat(timeToLive("plain")).isPositive();
    }

    @Test
    void anAcquisitionThatIsSentTwice() throws Exception {
        documented(
                "an acquisition is sent again after its reply was lost",
                "counts twice, and one `unlock()` does not free it",
                "counts once");
        RLock plain = redis.plain().getLock("plain");
        // Redisson sends this twice with sentinels and clusters, although it marks it as not to be repeated.
        for (int i = 0; i < 2; i++) {
            assertThat(plain.tryLockAsync(0, Fixture.LONG.toMillis(), TimeUnit.MILLISECONDS, 7)
                            .toCompletableFuture()
                            .join())
                    .isTrue();
        }
        plain.unlockAsync(7).toCompletableFuture().join();
        assertThat(plain.isLocked()).isTrue();

        LockConfig config = LockConfig.builder().commandTimeout(Fixture.TIMEOUT).build();
        RedissonFailures failures = new RedissonFailures("the server");
        LeaseProtocol ours = new RedissonProtocol(
                new HandedInClient(redis.plain(), failures, Environment.system()),
                new RedissonKeys(config.keyPrefix(), UnaryOperator.identity(), false),
                Settings.of(config),
                failures,
                config,
                Environment.system());
        Claim claim = new Claim(Fixture.NAME, "a token", Fixture.LONG, Fixture.TIMEOUT, 1);
        for (int i = 0; i < 2; i++) {
            assertThat(ours.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        }
        assertThat(redis.server.command("HVALS", Fixture.NAME)).isEqualTo(List.of("1"));
        assertThat(ours.release(claim)).isInstanceOf(Release.Freed.class);
        assertThat(redis.isTaken()).isFalse();
    }

    @Test
    void aLossWhileTheLockIsHeld() throws Exception {
        documented(
                "the key is gone under its holder",
                "nobody is told; `unlock()` throws `IllegalMonitorStateException`",
                "`onLoss` at the next renewal, a third of the lease at most; `unlock()` throws `LeaseLostException`");
        RLock plain = redis.plain().getLock("plain");
        DistributedLock ours = redis.factory(config -> config).getLock("ours", Fixture.lease(Duration.ofSeconds(15)));
        plain.lock();
        ours.lock();
        Lease lease = ours.lease().orElseThrow();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLoss(told::complete);
        redis.server.command("FLUSHALL");
        assertThat(told.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.GONE);
        assertThat(ours.isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(plain::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void renewalsAfterPairs() throws Exception {
        documented(
                "locks are taken and given back, and then one is held",
                "renewed once a period for each of the former too: after 100 of them, 101 times a period",
                "renewed once a period");
        Duration lease = Duration.ofSeconds(6);
        RedissonClient client = redis.plain(config -> config.setLockWatchdogTimeout(lease.toMillis()));
        DistributedLockFactory factory = redis.factory(config -> config);
        for (int i = 0; i < PAIRS; i++) {
            lockAndUnlock(client.getLock("pairs"));
            lockAndUnlock(factory.getLock("our pairs", Fixture.lease(lease)));
        }
        client.getLock("plain").lock();
        factory.getLock("ours", Fixture.lease(lease)).lock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            await().atMost(Fixture.PATIENCE)
                    .until(() -> scripts(monitor, "plain") > PAIRS && scripts(monitor, "ours") > 0);
            assertThat(scripts(monitor, "ours")).isLessThan(PAIRS / 10);
        }
    }

    private static void lockAndUnlock(Lock lock) {
        lock.lock();
        lock.unlock();
    }

    private static long scripts(CommandMonitor monitor, String key) {
        return monitor.commands().stream()
                .filter(command -> command.get(0).equalsIgnoreCase("EVALSHA") && command.contains(key))
                .count();
    }

    @Test
    void theFencingTokenOnReentry() throws Exception {
        documented("fencing token on re-entry", "grows, so that the outer block looks stale", "stays the same");
        RFencedLock plain = redis.plain().getFencedLock("plain");
        assertThat(plain.lockAndGetToken()).isLessThan(plain.lockAndGetToken());

        DistributedLock ours = ours("ours");
        ours.lock();
        long outer = ours.lease().orElseThrow().fencingToken().orElseThrow();
        ours.lock();
        assertThat(ours.lease().orElseThrow().fencingToken()).hasValue(outer);
    }

    @Test
    void theLeaseOfAFencedLock() throws Exception {
        documented(
                "a lease that is given with a fencing token",
                "`lockAndGetToken(lease, unit)` ignores it: 30 s, renewed",
                "is kept to");
        RFencedLock plain = redis.plain().getFencedLock("plain");
        plain.lockAndGetToken(2, TimeUnit.SECONDS);
        assertThat(timeToLive("plain")).isGreaterThan(20_000);

        DistributedLock ours =
                redis.factory(config -> config).getLock("ours", Fixture.abandoned(Duration.ofSeconds(20)));
        ours.lock();
        assertThat(timeToLive("ours")).isBetween(1L, 20_000L);
    }

    @Test
    void theFencingTokenAfterAFlush() throws Exception {
        documented("fencing token after `FLUSHALL` or a restart without data", "begins again at 1", "grows on");
        RFencedLock plain = redis.plain().getFencedLock("plain");
        DistributedLock ours = ours("ours");
        plain.lockAndGetToken();
        ours.lock();
        long before = ours.lease().orElseThrow().fencingToken().orElseThrow();
        redis.server.command("FLUSHALL");
        assertThat(plain.lockAndGetToken()).isEqualTo(1);
        assertThatThrownBy(ours::unlock).isInstanceOf(IllegalMonitorStateException.class);
        ours.lock();
        assertThat(ours.lease().orElseThrow().fencingToken().orElseThrow()).isGreaterThan(before);
    }
}
