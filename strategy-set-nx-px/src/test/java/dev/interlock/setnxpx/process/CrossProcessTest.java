// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.setnxpx.Fixture;
import java.io.File;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CrossProcessTest {
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    Fixture redis;

    @BeforeEach
    void start() {
        redis = new Fixture("interlock");
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    @Tag("deep")
    void aLiveHolderInAnotherProcessKeepsTheLockAndAKilledOneLosesItWithItsLease() throws Exception {
        Duration lease = Duration.ofSeconds(12);
        try (HolderProcess holder = HolderProcess.start(CLASS_PATH, redis.server.uri(), "killed", lease)) {
            long theirs = holder.awaitHeld();
            DistributedLock lock = redis.factory().getLock("killed");
            assertThat(lock.tryLock(lease.plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS))
                    .as("the holder is alive and renews")
                    .isFalse();

            holder.kill();
            assertThat((Long) redis.server.command("PTTL", Fixture.key("killed")))
                    .as("what is left of the lease")
                    .isLessThanOrEqualTo(lease.toMillis());
            assertThat(lock.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(lock.lease().orElseThrow().fencingToken().orElseThrow()).isGreaterThan(theirs);
            lock.unlock();
        }
    }

    @Test
    void oneClientLibraryIsEnough() throws Exception {
        String withoutLettuce = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> !entry.contains("lettuce") && !entry.contains("netty") && !entry.contains("reactor"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(withoutLettuce).hasSizeLessThan(CLASS_PATH.length());
        try (HolderProcess holder =
                HolderProcess.start(withoutLettuce, redis.server.uri(), "jedis-alone", Duration.ofSeconds(30))) {
            assertThat(holder.awaitHeld()).isPositive();
        }
    }
}
