// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All connections for acquisitions are in use. */
class BusyConnectionsTest {
    private final Fixture redis = new Fixture();

    @AfterEach
    void stop() {
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({
        "INTERLOCK, 1, false",
        "INTERLOCK, 1, true",
        "INTERLOCK, 3, true",
        "JEDIS, 1, false",
        "JEDIS, 1, true",
        "JEDIS, 3, false"
    })
    void renewalsDoNotWaitForThem(ClientLibrary library, int locks, boolean fullMemory) throws Exception {
        LockConfig config = LockConfig.builder()
                .endpoints(redis.server.uri())
                .commandTimeout(Fixture.PATIENCE)
                .option("connections", "1")
                .option("clock", "server")
                .build();
        RedisNode node = RedisNodes.open(library, config, Environment.system());
        LeaseProtocol protocol =
                SetnxGetsetProtocol.newProtocol(node, Settings.of(config), config, Environment.system());
        List<Claim> claims = Stream.iterate(0, i -> i + 1)
                .limit(locks)
                .map(i -> new Claim("n" + i, Environment.system().newToken(), Fixture.HOUR, Fixture.TIMEOUT, 1))
                .toList();
        claims.forEach(claim -> assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class));
        FutureTask<?> acquiring = Fixture.start(() -> node.callAcknowledged(
                RedisCommand.of("SET", "another", "mine"), new Acknowledgement(1, false), Duration.ofMinutes(5)));
        await().atMost(Fixture.PATIENCE).until(() -> clients("flags=b").count() == 1);
        if (fullMemory) {
            redis.server.command("CONFIG", "SET", "maxmemory", "1");
        }

        assertThat(protocol.renew(claims)).hasSize(locks).hasOnlyElementsOfType(Renewal.Renewed.class);

        assertThat(acquiring.isDone())
                .as("the only connection for acquisitions waits for a replica")
                .isFalse();
        String id = clients("flags=b").findFirst().orElseThrow().split("[ =]")[1];
        redis.server.command("CLIENT", "UNBLOCK", id);
        acquiring.get();
        protocol.close();
    }

    private Stream<String> clients(String flags) {
        return String.valueOf(redis.server.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" " + flags + " "));
    }
}
