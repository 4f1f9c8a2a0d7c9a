// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The access control list that the documentation gives. */
class AccessControlTest {
    private static final Path PAGE = Path.of("..", "docs", "strategies", "redlock.md");

    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void theDocumentedListSuffices() throws Exception {
        useAll("wait");
    }

    @Test
    @Tag("deep")
    void theDocumentedListSufficesWhereServersAreTrusted() throws Exception {
        useAll("trust");
    }

    private void useAll(String coldStart) throws Exception {
        for (RedisServer server : redis.servers) {
            server.command(documentedList().replace(">…", ">s3cret").split(" "));
        }
        DistributedLock mine = listed(coldStart).getLock("listed", Fixture.unrenewed(Duration.ofSeconds(20)));
        DistributedLock theirs = listed(coldStart).getLock("listed");
        for (int i = 0; i < 3; i++) {
            redis.servers.get(i).command("SET", Fixture.fence("listed"), Long.toString(8_000_000_000_000_000L + i));
        }
        await().pollInSameThread()
                .atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(() -> {
                    redis.growOld(Duration.ofMinutes(1));
                    mine.lock();
                    // One server may still stand aside, or have no connection, when the others have decided.
                    if (redis.takenOn("listed").size() == redis.servers.size()) {
                        return true;
                    }
                    mine.unlock();
                    return false;
                });
        FutureTask<Object> waiter = Fixture.passing(theirs);
        Lease lease = mine.lease().orElseThrow();
        await().atMost(Fixture.PATIENCE).until(() -> lease.remaining().toMillis() < 16_000);
        lease.ensureValid(Duration.ofSeconds(16));
        mine.unlock();
        waiter.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        redis.awaitTakenOn("listed");
        assertThat(redis.servers)
                .allSatisfy(server -> assertThat((List<?>) server.command("ACL", "LOG"))
                        .as("commands that were refused")
                        .isEmpty());
    }

    private DistributedLockFactory listed(String coldStart) {
        return redis.factory(config -> Fixture.trusting(config)
                .option("cold-start", coldStart)
                .option("max-lease", "20s")
                .lockDefaults(Fixture.unrenewed(Duration.ofSeconds(20)))
                .endpoints(redis.servers.stream()
                        .map(server -> "redis://locker:s3cret@127.0.0.1:" + server.port())
                        .collect(Collectors.joining(","))));
    }

    private static String documentedList() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(text -> text.startsWith("ACL SETUSER"))
                .findFirst()
                .orElseThrow();
    }
}
