// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operators of a redlock cluster type. */
class RedlockCommandTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(6);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<RedisServer> servers = new ArrayList<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void stop() {
        servers.forEach(RedisServer::close);
    }

    private String address(int server) {
        return "127.0.0.1:" + servers.get(server).port();
    }

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    @Test
    void aCommandThatNamesNoEndpointIsNotUnderstood() {
        assertThat(run("redlock", "status")).isNotEqualTo(ExitCodes.OK);
        assertThat(err.toString()).contains("endpoint");
    }

    /** Starts four servers and a client of the first three, and notes what commands need to know of these. */
    private DistributedLockFactory client(List<String> common) {
        for (int i = 0; i < 4; i++) {
            servers.add(RedisServer.start());
        }
        String endpoints = servers.subList(0, 3).stream()
                .map(server -> "redis://127.0.0.1:" + server.port())
                .collect(Collectors.joining(","));
        common.addAll(
                List.of("--endpoints", endpoints, "--option", "max-lease=" + MAX_LEASE, "--option", "node-timeout=5s"));
        LockConfig config = LockConfig.builder()
                .endpoints(endpoints)
                .option("max-lease", MAX_LEASE.toString())
                .option("node-timeout", "5s")
                .lockDefaults(LockOptions.builder().lease(MAX_LEASE).build())
                .build();
        return DistributedLocks.getInstance("redlock", config);
    }

    @Test
    @Tag("deep")
    void aNodeIsReplacedAndTheStatusSaysSo() {
        List<String> common = new ArrayList<>();
        try (DistributedLockFactory client = client(common)) {
            awaitVotes(client);
            assertThat(run(with(common, "redlock", "replace", address(2), address(3))))
                    .as("%s", err)
                    .isEqualTo(ExitCodes.OK);
            assertThat(run(with(common, "redlock", "status"))).isEqualTo(ExitCodes.OK);
        }
        assertThat(out.toString())
                .contains(address(0), address(1), address(3), "Revision 2")
                .doesNotContain(address(2));
    }

    @Test
    @Tag("deep")
    void aNodeIsAddedAndAnotherOneRemovedWhereAnEvenNumberIsAllowed() {
        List<String> common = new ArrayList<>();
        try (DistributedLockFactory client = client(common)) {
            awaitVotes(client);
            assertThat(run(with(common, "redlock", "add", address(3)))).isNotEqualTo(ExitCodes.OK);
            assertThat(err.toString()).contains("even-nodes");

            common.addAll(List.of("--option", "even-nodes=allow"));
            assertThat(run(with(common, "redlock", "add", address(3))))
                    .as("%s", err)
                    .isEqualTo(ExitCodes.OK);
            assertThat(run(with(common, "redlock", "remove", address(0))))
                    .as("%s", err)
                    .isEqualTo(ExitCodes.OK);
            assertThat(run(with(common, "redlock", "status"))).isEqualTo(ExitCodes.OK);
        }
        assertThat(out.toString())
                .contains(address(1), address(2), address(3), "Revision 4")
                .doesNotContain(address(0));
    }

    /** A fresh cluster votes when no lease can be left. */
    private static void awaitVotes(DistributedLockFactory client) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                client.getLock("work").lock();
                return;
            } catch (LockBackendException e) {
                if (System.nanoTime() - giveUp > 0) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    private static String[] with(List<String> common, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(common);
        return all.toArray(String[]::new);
    }
}
