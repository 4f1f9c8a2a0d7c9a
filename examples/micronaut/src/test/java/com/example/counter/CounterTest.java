// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import io.micronaut.context.ApplicationContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two contexts of the application, as on two machines, over a real server. */
@Tag("deep")
class CounterTest {
    private static final int INCREMENTS = 200;

    @TempDir
    Path directory;

    @Test
    void twoApplicationsLoseNoIncrement() throws Exception {
        Path file = Files.writeString(directory.resolve("count"), "0");
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (RedisServer server = RedisServer.start();
                ApplicationContext one = start(server, file);
                ApplicationContext other = start(server, file)) {
            Future<?> first = threads.submit(counting(one));
            Future<?> second = threads.submit(counting(other));
            first.get(2, TimeUnit.MINUTES);
            second.get(2, TimeUnit.MINUTES);
        } finally {
            threads.shutdownNow();
        }
        assertThat(Files.readString(file)).isEqualTo(String.valueOf(2 * INCREMENTS));
    }

    private static ApplicationContext start(RedisServer server, Path file) {
        return ApplicationContext.run(
                Map.of("interlock.endpoints", "redis://127.0.0.1:" + server.port(), "counter.file", file.toString()));
    }

    private static Callable<Void> counting(ApplicationContext application) {
        Counter counter = application.getBean(Counter.class);
        return () -> {
            for (int i = 0; i < INCREMENTS; i++) {
                counter.increment();
            }
            return null;
        };
    }
}
