// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;

/** Two holders of one lock, of whom the first does not notice in time that it lost it. */
final class LateWriter implements AutoCloseable {
    private static final String LOCK = "account:42";

    final RedisServer server = RedisServer.start();
    private final DistributedLockFactory first = factory();
    private final DistributedLockFactory second = factory();

    private DistributedLockFactory factory() {
        return DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(server.uri())
                        .commandTimeout(Duration.ofSeconds(60))
                        .build());
    }

    /** Lets the second holder write while the first one still has its handle. */
    void assertIsRefusedBy(Account account) throws Exception {
        LockHandle late = first.getLock(LOCK).acquire();
        long lateToken = late.fencingToken().orElseThrow();
        assertThat(account.setBalance(lateToken, 10))
                .as("while it holds the lock")
                .isTrue();
        // As a server does that loses its data.
        server.command("DEL", "interlock:{" + LOCK + "}");
        try (LockHandle next = second.getLock(LOCK).acquire()) {
            long nextToken = next.fencingToken().orElseThrow();
            assertThat(account.setBalance(nextToken, 20)).as("the next holder").isTrue();
            assertThat(account.setBalance(lateToken, 30)).as("the late writer").isFalse();
            assertThat(account.balance()).isEqualTo(20);
            assertThat(account.setBalance(nextToken, 40))
                    .as("the next holder again")
                    .isTrue();
            assertThat(account.balance()).isEqualTo(40);
        }
        assertThatThrownBy(late::close).isInstanceOf(LeaseLostException.class);
    }

    @Override
    public void close() {
        first.close();
        second.close();
        server.close();
    }
}
