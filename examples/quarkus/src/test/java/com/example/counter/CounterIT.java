// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application as it is delivered, in two processes over a real server. */
@Tag("deep")
class CounterIT {
    private static final int INCREMENTS = 200;

    @TempDir
    Path directory;

    @Test
    void twoProcessesLoseNoIncrement() throws Exception {
        Path file = Files.writeString(directory.resolve("count"), "0");
        try (RedisServer server = RedisServer.start()) {
            List<Process> processes = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                processes.add(start(server, file, directory.resolve("log-" + i)));
            }
            for (int i = 0; i < 2; i++) {
                Process process = processes.get(i);
                boolean ended = process.waitFor(2, TimeUnit.MINUTES);
                process.destroyForcibly();
                assertThat(ended && process.exitValue() == 0)
                        .as(Files.readString(directory.resolve("log-" + i)))
                        .isTrue();
            }
        }
        assertThat(Files.readString(file)).isEqualTo(String.valueOf(2 * INCREMENTS));
    }

    private static Process start(RedisServer server, Path file, Path log) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dinterlock.endpoints=redis://127.0.0.1:" + server.port(),
                        "-Dcounter.file=" + file,
                        "-jar",
                        System.getProperty("application.jar"),
                        String.valueOf(INCREMENTS))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }
}
