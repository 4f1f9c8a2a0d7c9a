// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import static org.assertj.core.api.Assumptions.assumeThat;

import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The model of each flavour replies exactly as a server of that flavour in a container does. */
@Tag("conformance")
@EnabledIfSystemProperty(
        named = "interlock.redis",
        matches = "containers",
        disabledReason =
                "other tests compare the embedded server: -Dinterlock.redis=containers starts that of an image")
class ContainerServerTest extends RealServerRules {
    private static final int PORT = 6379;
    private static final int REPLIES = 100_000;

    /** The flavours by what servers tell about themselves. */
    private static final Map<String, Flavour> FLAVOURS =
            Map.of("redis_version:7.0.", Flavour.REDIS_7, "valkey_version:9.", Flavour.VALKEY_9);

    /** The images whose servers are simulated, by their names. */
    private static final String SIMULATED = ".*redis:7\\.0|.*valkey:9";

    private static final GenericContainer<?> CONTAINER = new GenericContainer<>(
                    DockerImageName.parse(System.getProperty("interlock.redis.image", "redis:7.0")))
            .withExposedPorts(PORT)
            .withCommand("--protected-mode", "no", "--bind", "0.0.0.0")
            .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));

    private static Flavour flavour = Flavour.REDIS_7;

    @BeforeAll
    static void startServer() throws IOException {
        CONTAINER.start();
        try (RespConnection connection = new RespConnection("127.0.0.1", CONTAINER.getMappedPort(PORT), 60_000)) {
            String told = String.valueOf(connection.call("INFO", "server"));
            Optional<Flavour> found = FLAVOURS.entrySet().stream()
                    .filter(entry -> told.lines().anyMatch(line -> line.startsWith(entry.getKey())))
                    .map(Map.Entry::getValue)
                    .findFirst();
            // A server that nobody simulates is none to compare with; those that are simulated must be recognized.
            assumeThat(found.isPresent() || CONTAINER.getDockerImageName().matches(SIMULATED))
                    .as("the flavour of %s, of which no server is simulated", CONTAINER.getDockerImageName())
                    .isTrue();
            flavour = found.orElseThrow();
        }
    }

    @AfterAll
    static void stopServer() {
        CONTAINER.stop();
    }

    @Override
    int start() {
        return CONTAINER.getMappedPort(PORT);
    }

    @Override
    void stop() {
        // All tests use one server.
    }

    @Override
    Flavour flavour() {
        return flavour;
    }

    /** Messages take longer, so that fewer sequences fit into a millisecond. */
    @Override
    int sequences() {
        return 20;
    }

    @Test
    void theModelRepliesAsAServerInAContainerDoesToAHundredThousandCommands() throws Exception {
        compareAll(2, REPLIES);
    }
}
