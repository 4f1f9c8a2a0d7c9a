// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.coldstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first lock of a JVM, in which nothing has been loaded yet. */
class FirstLockTest {
    /** Lettuce and what it needs have several times as many. */
    private static final int FEW_CLASSES = 500;

    /** Processes of which one has to succeed: the machine may do other things for seconds. */
    private static final int TRIES = 4;

    private static final long RUNNING_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long STANDING_NANOS = TimeUnit.MILLISECONDS.toNanos(70);

    private final List<RedisServer> servers = new ArrayList<>();

    @AfterEach
    void stopServers() {
        servers.forEach(RedisServer::close);
    }

    @Test
    void theClientLibraryIsLoadedBeforeTheFirstLock() {
        String said = run("lettuce", false);

        assertThat(said).startsWith(FirstLockProcess.LOCKED);
        assertThat(Integer.parseInt(said.split(" ")[1]))
                .as("classes loaded by the first lock")
                .isLessThan(FEW_CLASSES);
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(strings = {"interlock", "lettuce", "redlock"})
    void withAThirdOfAProcessorTheFirstLockIsAcquiredInTime(String kind) {
        List<String> said = new ArrayList<>();
        while (said.size() < TRIES && said.stream().noneMatch(it -> it.startsWith(FirstLockProcess.LOCKED))) {
            said.add(run(kind, true));
        }

        assertThat(said).last().asString().startsWith(FirstLockProcess.LOCKED);
    }

    /** Runs a process, perhaps for less than a third of the time, and returns what it says. */
    private String run(String kind, boolean slowly) {
        boolean redlock = kind.equals("redlock");
        while (servers.size() < (redlock ? 3 : 1)) {
            servers.add(RedisServer.start());
        }
        String endpoints = servers.stream().map(RedisServer::uri).collect(Collectors.joining(","));
        List<String> arguments = redlock
                ? List.of("redlock", endpoints, "cold-start=trust")
                : List.of("set-nx-px", endpoints, "client=" + kind);
        CompletableFuture<String> said = new CompletableFuture<>();
        try (ChildJvm child = ChildJvm.start(
                List.of(), FirstLockProcess.class, arguments, said::complete, () -> said.complete("nothing"))) {
            while (slowly && !said.isDone()) {
                LockSupport.parkNanos(RUNNING_NANOS);
                child.stop();
                LockSupport.parkNanos(STANDING_NANOS);
                child.goOn();
            }
            return said.join();
        }
    }
}
