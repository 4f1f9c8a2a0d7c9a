// SPDX-License-Identifier: Apache-2.0
package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application as it is delivered: its jar, in a process of its own, over a real server. */
@Tag("deep")
class PackagedApplicationIT {
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private Path log;
    private RedisServer server;
    private Process application;
    private int port;

    @BeforeEach
    void start() throws IOException {
        server = RedisServer.start();
        log = directory.resolve("application.log");
        application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("application.jar"),
                        "--server.port=0",
                        "--spring.data.redis.port=" + server.port(),
                        "--interlock.command-timeout=30s")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(PATIENCE).until(() -> port() > 0 || !application.isAlive());
        port = port();
        assertThat(port).as(Files.readString(log)).isPositive();
        await().atMost(PATIENCE).until(() -> isHeld("warehouse"));
    }

    @AfterEach
    void stop() {
        application.destroyForcibly();
        server.close();
    }

    private int port() throws IOException {
        Matcher matcher = PORT.matcher(Files.readString(log));
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private boolean isHeld(String name) {
        return Long.valueOf(1).equals(server.command("EXISTS", "interlock:{" + name + "}"));
    }

    private CompletableFuture<HttpResponse<String>> pack(String id) {
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/" + id + "/pack"))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String get(String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void itLocksAndTellsItsHealthItsLocksAndItsMetrics() throws Exception {
        assertThat(get("/actuator/health")).contains("\"interlock\"").contains("set-nx-px");
        assertThat(get("/warehouse")).isEqualTo("ours");
        assertThat(get("/actuator/locks")).contains("\"warehouse\"").contains("fencingToken");

        CompletableFuture<HttpResponse<String>> first = pack("1");
        await().atMost(PATIENCE).until(() -> isHeld("order:1"));
        assertThat(pack("1").join().statusCode()).isEqualTo(409);
        assertThat(get("/actuator/locks?name=order:1")).contains("\"locked\":true");
        server.command("RPUSH", "parcel:1", "box");
        assertThat(first.join().body()).startsWith("order 1 in box, token ");
        assertThat(isHeld("order:1")).isFalse();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(get("/actuator/metrics/interlock.lock.hold?tag=group:order"))
                        .contains("{\"statistic\":\"COUNT\",\"value\":1.0}"));
    }

    @Test
    void itKeepsItsLocksUntilTheLastRequestIsAnsweredAndReleasesThemWhenItEnds() throws Exception {
        CompletableFuture<HttpResponse<String>> request = pack("2");
        await().atMost(PATIENCE).until(() -> isHeld("order:2"));

        application.destroy();
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains("Commencing graceful shutdown"));
        assertThat(isHeld("order:2")).isTrue();
        assertThat(isHeld("warehouse")).isTrue();
        server.command("RPUSH", "parcel:2", "box");

        assertThat(request.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).startsWith("order 2 in box, token ");
        assertThat(application.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(isHeld("order:2")).isFalse();
        assertThat(isHeld("warehouse")).isFalse();
        assertThat(Files.readString(log)).doesNotContain("ERROR").doesNotContain("LeaseLost");
    }
}
