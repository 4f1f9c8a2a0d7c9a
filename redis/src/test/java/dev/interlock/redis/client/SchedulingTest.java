// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.RedisCommand;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SchedulingTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Time passes by parking alone, and each time by more than was asked for. */
    private static final class Late extends ShiftedEnvironment {
        private final long lateNanos;
        private long now;

        Late(Duration late) {
            this.lateNanos = late.toNanos();
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void park(Object blocker, long nanos) {
            now += nanos + lateNanos;
        }
    }

    @Test
    void aTimeOutIsBlamedOnTheServerWhereThisJvmHasTheProcessor() {
        Late env = new Late(Duration.ofNanos(100_000));
        Failures failures = new Failures(env, "a server");

        assertThat(failures.noConnectionInTime(new Deadline(env, TIMEOUT)))
                .hasMessageContaining("no connection to a server within PT2S")
                .hasMessageNotContaining("this JVM is slow");
    }

    @Test
    void aTimeOutIsNotBlamedOnTheServerAloneWhereThisJvmIsStarved() {
        Late env = new Late(Duration.ofMillis(4));
        Failures failures = new Failures(env, "a server");

        assertThat(failures.noConnectionInTime(new Deadline(env, TIMEOUT)))
                .hasMessageContaining("this JVM is slow itself, a pause of 20 ms took 100 ms");
        assertThat(failures.late(RedisCommand.of("SET"), new Deadline(env, TIMEOUT)))
                .hasMessageContaining("this JVM is slow itself");
    }
}
