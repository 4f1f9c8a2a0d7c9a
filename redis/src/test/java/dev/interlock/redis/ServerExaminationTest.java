// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerExaminationTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
    private static final String SERVER = "redis://examined:6379";
    private static final String GOOD =
            "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:0123abcd\r\n"
                    + "server_time_usec:1800000000500000\r\nmaxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\nrole:master\r\n";

    /** Examines a server several times, and returns what is logged. */
    private static List<String> warnings(String... replies) {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getMessage().contains(SERVER)) {
                    warnings.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(ServerExamination.class.getName());
        logger.addHandler(handler);
        try {
            ServerExamination examination = new ServerExamination(SERVER);
            for (String reply : replies) {
                examination.examine(ServerInfo.read(reply), NOW, NOW.plusSeconds(1));
            }
        } finally {
            logger.removeHandler(handler);
        }
        return warnings;
    }

    private static LockBackendException failure(String reply) {
        return catchThrowableOfType(LockBackendException.class, () -> warnings(reply));
    }

    @Test
    void nothingIsSaidOfAServerThatCanKeepLocks() {
        assertThat(warnings(GOOD)).isEmpty();
    }

    @Test
    void aServerThatSaysNothingOfItselfIsNotJudged() {
        assertThat(warnings("", "# Server\r\nredis_version:unknown\r\n")).isEmpty();
    }

    @Test
    void aVersionThatIsTooOldIsRefused() {
        LockBackendException failure = failure(GOOD.replace("7.0.15", "6.2.14"));

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("6.2.14").hasMessageContaining("7.0 or newer");
    }

    @Test
    void aSentinelIsRefused() {
        assertThat(failure(GOOD.replace("standalone", "sentinel")).reason()).isEqualTo(Reason.REFUSED);
    }

    @Test
    void aReplicaMayBeAskedLater() {
        LockBackendException failure =
                failure(GOOD.replace("role:master", "role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6380"));

        assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(failure).hasMessageContaining("is a replica of 10.0.0.1:6380");
    }

    @ParameterizedTest
    @ValueSource(strings = {"volatile-lru", "volatile-ttl", "allkeys-random"})
    void aPolicyThatMayDeleteLocksIsWarnedOf(String policy) {
        String limited = GOOD.replace("maxmemory:0", "maxmemory:1000000").replace("allkeys-lru", policy);

        assertThat(warnings(limited))
                .singleElement()
                .asString()
                .contains(policy)
                .contains("noeviction");
    }

    @Test
    void aNodeOfAClusterIsWarnedOf() {
        assertThat(warnings(GOOD.replace("standalone", "cluster")))
                .singleElement()
                .asString()
                .contains("node of a cluster");
    }

    @Test
    void aClockThatIsFarOffIsWarnedOfWithItsDistance() {
        String behind = GOOD.replace("1800000000500000", "1799999900000000");
        String ahead = GOOD.replace("1800000000500000", "1800000061000000");

        assertThat(warnings(behind)).singleElement().asString().contains("100 s behind this machine's clock");
        assertThat(warnings(ahead)).singleElement().asString().contains("60 s ahead of this machine's clock");
    }

    @Test
    void aSlowReplyDoesNotPutAClockInTheWrong() {
        ServerInfo info = ServerInfo.read(GOOD);
        Duration slow = Duration.ofMinutes(5);

        new ServerExamination(SERVER).examine(info, NOW.minus(slow), NOW.plus(slow));
        assertThat(info.clock()).contains(NOW.plusMillis(500));
    }

    @Test
    void eachProcessIsWarnedOfOnce() {
        String cluster = GOOD.replace("standalone", "cluster");

        assertThat(warnings(cluster, cluster, cluster.replace("0123abcd", "4567cdef")))
                .hasSize(2);
    }
}
