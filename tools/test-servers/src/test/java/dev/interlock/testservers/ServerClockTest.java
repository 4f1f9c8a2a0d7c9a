// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private RedisServer server;

    @BeforeEach
    void start() {
        assumeThat(ServerClock.obstacle())
                .as("absent: server-clock: a clock to step")
                .isEmpty();
        server = RedisServer.start();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static long seconds(RedisServer server) {
        return Long.parseLong(String.valueOf(((List<?>) server.command("TIME")).get(0)));
    }

    @Test
    void aKeyEndsAtOnceIfTheClockOfItsServerIsSteppedBeyondItsEndAndNotOtherwise() {
        server.command("SET", "ends", "1", "EX", "3000");
        server.command("SET", "stays", "1", "EX", "7200");

        server.stepClock(HOUR);

        assertThat(server.command("GET", "ends")).isNull();
        assertThat((Long) server.command("TTL", "stays")).isLessThanOrEqualTo(3600);
    }

    @Test
    void theClockOfAnotherServerStaysAsItIs() {
        try (RedisServer other = RedisServer.start()) {
            server.stepClock(HOUR);
            server.stepClock(HOUR);

            assertThat(seconds(server) - seconds(other)).isGreaterThan(7000);
        }
    }

    @Test
    void aClockCanBeSteppedBack() {
        server.command("SET", "key", "1", "EX", "100");

        server.stepClock(HOUR.negated());

        assertThat((Long) server.command("TTL", "key")).isGreaterThan(3600);
    }

    @Test
    void theClockOfAServerThatIsPausedIsNotStepped() {
        server.pause();

        assertThatThrownBy(() -> server.stepClock(HOUR)).isInstanceOf(IllegalStateException.class);
        server.resume();

        assertThat(seconds(server)).isLessThan(System.currentTimeMillis() / 1000 + 1800);
    }

    @Test
    void aClockIsRightAgainAfterARestart() {
        long before = seconds(server);
        server.stepClock(HOUR.negated());

        server.restart();

        assertThat(seconds(server)).isGreaterThanOrEqualTo(before);
        server.stepClock(HOUR);
        assertThat(seconds(server)).isGreaterThanOrEqualTo(before + 3600);
    }
}
