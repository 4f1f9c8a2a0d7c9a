// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OneCoreTest {
    private static final String ALLOWED = "Cpus_allowed_list:";

    @BeforeAll
    static void thereIsTaskset() {
        assumeThat(Path.of("/usr/bin/taskset"))
                .as("absent: taskset: the program that pins")
                .exists();
    }

    @Test
    void allThreadsOfAProcessRunOnTheSameCore() throws IOException {
        try (RedisServer server = RedisServer.start()) {
            OneCore.pin(server.pid());

            List<String> cores = coresOfThreads(server.pid());
            assertThat(cores).hasSizeGreaterThan(1);
            assertThat(cores.stream().distinct()).singleElement().asString().matches("\\d+");
        }
    }

    private static List<String> coresOfThreads(long pid) throws IOException {
        List<String> cores = new ArrayList<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads.toList()) {
                Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith(ALLOWED))
                        .map(line -> line.substring(ALLOWED.length()).strip())
                        .forEach(cores::add);
            }
        }
        return cores;
    }

    @Test
    void aProcessThatCannotBePinnedIsAnError() {
        assertThatThrownBy(() -> OneCore.pin(Long.MAX_VALUE))
                .isInstanceOf(ToolException.class)
                .hasMessageStartingWith("taskset -cp " + Long.MAX_VALUE + " failed: ");
    }
}
