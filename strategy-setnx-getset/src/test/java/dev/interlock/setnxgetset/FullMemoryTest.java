// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server whose memory is full refuses to queue anything in a transaction, and to write. */
class FullMemoryTest {
    /** More than the default lease, so that it takes a renewal to have it. */
    private static final Duration LONGER = Duration.ofMinutes(5);

    private final Fixture redis = new Fixture();

    @AfterEach
    void close() {
        redis.close();
    }

    private void fillMemory() {
        redis.server.command("CONFIG", "SET", "maxmemory", "1");
    }

    private void freeMemory() {
        redis.server.command("CONFIG", "SET", "maxmemory", "0");
    }

    @Test
    void aLockIsRenewedAndReleased() throws Exception {
        DistributedLock lock = redis.factory().getLock(Fixture.NAME);
        LockHandle handle = lock.acquire();
        fillMemory();
        handle.ensureValid(LONGER);
        assertThat(redis.value()).contains("000306005");
        handle.ensureValid(LONGER.multipliedBy(2));
        assertThat(handle.remaining()).isGreaterThan(LONGER);
        handle.close();
        assertThat(redis.value()).isNull();
        assertThatThrownBy(lock::tryLock)
                .as("nothing new is taken")
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                .hasMessageContaining("OOM");
    }

    @Test
    void closingAFactoryReleasesAllItsLocks() throws Exception {
        try (DistributedLockFactory factory = redis.factory()) {
            for (int i = 0; i < 3; i++) {
                factory.getLock(Fixture.NAME + i).acquire();
            }
            fillMemory();
        }
        assertThat(redis.server.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void whatAnotherHoldsIsLeftAlone() throws Exception {
        LockHandle handle = redis.factory().getLock(Fixture.NAME).acquire();
        String another = Long.toString(System.currentTimeMillis() / 1000 + 1_000);
        redis.server.command("SET", Fixture.KEY, another);
        fillMemory();
        assertThatThrownBy(() -> handle.ensureValid(LONGER))
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(redis.value()).isEqualTo(another);
    }

    @Test
    void whatAnotherTakesJustBeforeTheScriptIsLeftAlone() throws Exception {
        String another = Long.toString(System.currentTimeMillis() / 1000 + 1_000);
        LockHandle handle = redis.factory(
                        Duration.ZERO,
                        node -> new MeddlingNode(node, "EVALSHA", () -> {
                            freeMemory();
                            redis.server.command("SET", Fixture.KEY, another);
                            fillMemory();
                        }))
                .getLock(Fixture.NAME)
                .acquire();
        fillMemory();
        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.TAKEN));
        assertThat(redis.value()).isEqualTo(another);
    }

    @Test
    void whatIsGoneIsNotWrittenAgain() throws Exception {
        LockHandle handle = redis.factory().getLock(Fixture.NAME).acquire();
        redis.server.command("DEL", Fixture.KEY);
        fillMemory();
        assertThatThrownBy(() -> handle.ensureValid(LONGER))
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.lossCause()).isEqualTo(LossCause.GONE));
        assertThat(redis.value()).isNull();
    }

    @Test
    void whoeverMayNotRunScriptsIsToldOfTheMemory() throws Exception {
        LockHandle handle = redis.factory().getLock(Fixture.NAME).acquire();
        String before = redis.value();
        redis.server.command("ACL", "SETUSER", "default", "-eval", "-evalsha");
        fillMemory();
        assertThatThrownBy(() -> handle.ensureValid(LONGER))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("OOM");
        assertThat(handle.isValid()).as("for as long as its lease lasts").isTrue();
        assertThat(redis.value()).isEqualTo(before);
        freeMemory();
        handle.close();
        assertThat(redis.value()).isNull();
    }
}
