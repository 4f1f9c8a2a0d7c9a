// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.TestRedis;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.RedisServer;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The strategies by name on the clients of Spring Boot 4.0 and 3.5, in processes that have nothing newer. */
@Tag("deep")
class OlderClientsTest {
    private static final long PATIENCE = 120;

    /** The class path of this JVM with another version of the clients. */
    private static String classPath(String jedis, String lettuce) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> {
                    String name = Path.of(entry).getFileName().toString();
                    return name.startsWith("jedis-")
                            ? older("jedis-" + jedis)
                            : name.startsWith("lettuce-core-") ? older("lettuce-core-" + lettuce) : entry;
                })
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String boot40() {
        return classPath("7.0.0", "6.8.2.RELEASE");
    }

    private static String boot35() {
        return classPath("6.0.0", "6.6.0.RELEASE");
    }

    private static String older(String client) {
        Path jar = Path.of("target/older-clients", client + ".jar").toAbsolutePath();
        assertThat(Files.exists(jar))
                .as(jar + ", which the profile deep copies")
                .isTrue();
        return jar.toString();
    }

    private static String lock(String classPath, List<String> arguments) throws InterruptedException {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        try (ChildJvm child = ChildJvm.start(
                classPath, List.of(), OlderClientsMain.class, arguments, said::add, () -> said.add("nothing"))) {
            String answer = said.poll(PATIENCE, TimeUnit.SECONDS);
            child.awaitEnd(Duration.ofSeconds(PATIENCE));
            return String.valueOf(answer);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "set-nx-px, client=interlock",
        "set-nx-px, client=jedis",
        "set-nx-px, client=lettuce",
        "setnx-getset, client=interlock",
        "redlock, client=interlock",
        "redlock, client=lettuce"
    })
    void aStrategyByNameLocks(String strategy, String option) throws InterruptedException {
        List<RedisServer> servers = new ArrayList<>();
        try {
            String endpoints = TestRedis.SERVER.uri();
            if (strategy.equals("redlock")) {
                for (int i = 0; i < 3; i++) {
                    servers.add(RedisServer.start());
                }
                endpoints = servers.stream().map(RedisServer::uri).collect(Collectors.joining(","));
            }
            List<String> arguments = new ArrayList<>(List.of(strategy, endpoints, option));
            if (strategy.equals("redlock")) {
                arguments.addAll(List.of("cold-start=trust", "node-timeout=5s"));
            }
            assertThat(lock(boot40(), arguments))
                    .as("on the clients of Spring Boot 4.0")
                    .isEqualTo(OlderClientsMain.LOCKED);
            assertThat(lock(boot35(), arguments))
                    .as("on the clients of Spring Boot 3.5")
                    .isEqualTo(OlderClientsMain.LOCKED);
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void theBuilderTakesAClientOfLettuce() throws InterruptedException {
        assertThat(lock(boot40(), builder("lettuce"))).isEqualTo(OlderClientsMain.LOCKED);
        assertThat(lock(boot35(), builder("lettuce"))).isEqualTo(OlderClientsMain.LOCKED);
    }

    /** The types of client that it takes came with Jedis 7.2. */
    @Test
    void theBuilderSaysThatAClientOfJedisIsTooOld() throws InterruptedException {
        String word = "update Jedis to 7.4.1 or later, or name the servers as endpoints";
        assertThat(lock(boot40(), builder("jedis"))).contains(word);
        assertThat(lock(boot35(), builder("jedis"))).contains(word);
        assertThat(lock(System.getProperty("java.class.path"), builder("jedis")))
                .contains("JedisPooled cannot be used");
    }

    private static List<String> builder(String client) {
        return List.of(OlderClientsMain.BUILDER, TestRedis.SERVER.uri(), "client=" + client);
    }
}
