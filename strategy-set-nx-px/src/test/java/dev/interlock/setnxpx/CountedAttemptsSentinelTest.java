// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.setnxpx.intercept.InterposedNode;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SentinelServers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An acquisition by three plain commands while the sentinels promote another server before or between them. */
@Tag("deep")
class CountedAttemptsSentinelTest {
    private static final String NAME = "mine";
    private static final String KEY = Fixture.key(NAME);

    private static SentinelServers servers;

    private InterposedNode node;
    private SetNxPxProtocol protocol;
    private int claims;

    @BeforeAll
    static void start() {
        servers = SentinelServers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @BeforeEach
    void open() {
        LockConfig config = LockConfig.builder()
                .endpoints(servers.uri())
                .commandTimeout(Fixture.PATIENCE)
                // A second connection, for whatever is done beside, would be a reason not to count.
                .option("card", "false")
                .option(ConnectionSettings.SHARED_CONNECTIONS.name(), "1")
                .build();
        node = new InterposedNode(RedisNodes.open(ClientLibrary.INTERLOCK, config, Environment.system()));
        protocol = new SetNxPxProtocol(node, Settings.of(config), config, new TimelessEnvironment());
    }

    @AfterEach
    void close() {
        protocol.close();
        servers.awaitSettled();
    }

    private Claim claim() {
        return new Claim(NAME, "token-" + claims++, Duration.ofMinutes(5), Fixture.PATIENCE, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET", "INCRBY", "EXISTS"})
    void tokensGrowAndNothingStaysBehindOnTheServerThatIsPromoted(String command) {
        long last = 0;
        for (int i = 0; i < 100 && !node.sent.contains("INCRBY"); i++) {
            last = Fixture.draw(protocol, this::claim);
        }
        assertThat(node.sent).contains("INCRBY");
        RedisServer[] promoted = new RedisServer[1];
        node.beforeCommand(command, () -> promoted[0] = servers.switchOver());
        Claim claim = claim();
        if (protocol.attempt(claim) instanceof Attempt.Granted granted) {
            assertThat(granted.firstFence().orElseThrow()).isGreaterThan(last);
            assertThat(promoted[0].command("GET", KEY)).isEqualTo(LockWord.of(claim));
            last = granted.firstFence().orElseThrow();
        }
        assertThat(promoted[0]).isNotNull();
        Fixture.giveBack(protocol, claim);
        assertThat(promoted[0].command("GET", KEY)).isNull();
        assertThat((Long) promoted[0].command("PTTL", KEY + ":fence")).isNotEqualTo(-1L);
        assertThat(Fixture.draw(protocol, this::claim)).isGreaterThan(last);
    }
}
