// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import dev.interlock.setnxpx.SetNxPxLocks;
import dev.interlock.testservers.CommandMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The access control lists that the documentation gives: they suffice, and they reach no further. */
public class AccessControlTest extends OnChosenClients {
    private static final Path PAGE = Path.of("..", "docs", "strategies", "set-nx-px.md");

    @ParameterizedTest
    @CsvSource({"0, true, script", "1, false, transaction"})
    void theDocumentedListSuffices(int line, String fencing, String release) throws Exception {
        redis.server.command(documentedList(line).replace(">…", ">s3cret").split(" "));
        DistributedLock mine = lock(fencing, release);
        DistributedLock theirs = lock(fencing, release);
        if (release.equals("script")) {
            Fixture.passCounting(mine);
        }
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        redis.awaitWaiters("listed", 1);
        Fixture.renewByHand(mine.lease().orElseThrow());
        mine.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken("listed"));
        assertThat((List<?>) redis.server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
    }

    @Test
    void theDocumentedListSufficesForConditions() throws Exception {
        redis.server.command(documentedList(0).replace(">…", ">s3cret").split(" "));
        DistributedLock mine = lock("true", "script");
        DistributedLock theirs = lock("true", "script");
        Condition condition = mine.newCondition();
        mine.lock();
        FutureTask<Boolean> waiter = new FutureTask<>(() -> {
            theirs.lock();
            boolean signalled = theirs.newCondition().await(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            try {
                theirs.unlock();
            } catch (LeaseLostException e) {
                // A busy machine may not come to renew what was handed over.
            }
            return signalled;
        });
        new Thread(waiter).start();
        redis.awaitWaiters("listed", 1);
        do {
            assertThat(condition.await(1, TimeUnit.MILLISECONDS)).isFalse();
            // The other one waits by now, unless it was too slow to take the lock that it was handed.
        } while (redis.server
                        .command("KEYS", Fixture.key("listed") + ":condition:*")
                        .equals(List.of())
                && !waiter.isDone());
        condition.signal();
        mine.unlock();
        assertThat(waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat((List<?>) redis.server.command("ACL", "LOG"))
                .as("commands that were refused")
                .isEmpty();
    }

    private DistributedLock lock(String fencing, String release) {
        DistributedLockFactory factory = redis.factory(
                "redis://locker:s3cret@127.0.0.1:" + redis.server.port(),
                (LockConfig.Builder config) -> config.option("fencing", fencing).option("release", release));
        return factory.getLock("listed", Fixture.lease(Duration.ofMinutes(1)));
    }

    @Test
    void connectionsOfOurOwnLogInWithWhatASupplierTells() {
        redis.server.command("ACL SETUSER locker on >token ~interlock:* &interlock:* +@all".split(" "));
        LockConfig config = LockConfig.builder()
                .endpoints(redis.server.uri())
                .commandTimeout(Fixture.PATIENCE)
                .option("client", client)
                .build();
        try (DistributedLockFactory factory = SetNxPxLocks.builder()
                .config(config)
                .connections(settings -> settings.credentials(() -> RedisCredentials.of("locker", "token")))
                .build()) {
            Fixture.warmUp(factory);
        }
        assertThat(String.valueOf(redis.server.command("ACL", "LOG"))).isEqualTo("[]");
    }

    @Test
    void aUserWhoMayNotReadTheKeyIsRefusedAndNotToldOfALoss() {
        redis.server.command("ACL SETUSER locker on >s3cret ~interlock:* &interlock:* +@all -get".split(" "));
        DistributedLock lock = lock("false", "script");
        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        assertThatThrownBy(() -> Fixture.renewByHand(lease))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
        assertThat(lease.isValid()).isTrue();
        lock.unlock();
        assertThat(redis.isTaken("listed")).as("as nothing could be done").isTrue();
    }

    @Test
    void aUserWithoutTheChannelReleasesAllTheSame() {
        redis.server.command("ACL SETUSER locker on >s3cret ~interlock:* resetchannels +@all".split(" "));
        DistributedLock lock = lock("true", "script");
        lock.lock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            lock.unlock();
            assertThat(redis.isTaken("listed")).isFalse();
            await().during(Duration.ofMillis(500)).atMost(Fixture.PATIENCE).until(() -> {
                monitor.sync();
                return monitor.commands().stream()
                        .map(command -> command.get(0))
                        .toList()
                        .equals(List.of("EVALSHA", "EVAL"));
            });
        }
    }

    @Test
    void aUserWithoutTheChannelGetsTheLockByAsking() throws Exception {
        redis.server.command("ACL SETUSER locker on >s3cret ~interlock:* resetchannels +@all".split(" "));
        DistributedLock mine = lock("true", "script");
        DistributedLock theirs = lock("true", "script");
        mine.lock();
        FutureTask<Lease> waiter = Fixture.passing(theirs);
        await().during(Duration.ofMillis(500)).atMost(Fixture.PATIENCE).until(() -> !waiter.isDone());
        assertThat(redis.server.command("KEYS", "*:waiting"))
                .as("whom no message would reach")
                .isEqualTo(List.of());
        mine.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    public static String documentedList(int line) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(text -> text.startsWith("ACL SETUSER"))
                .toList()
                .get(line);
    }
}
