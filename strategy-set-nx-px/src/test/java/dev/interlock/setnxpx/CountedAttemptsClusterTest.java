// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.setnxpx.intercept.InterposedNode;
import dev.interlock.testservers.ClusterServers;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.SlotMigration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An acquisition by three plain commands whose slot goes to another node of a cluster before or between them. */
@Tag("deep")
class CountedAttemptsClusterTest {
    private static ClusterServers cluster;

    private InterposedNode node;
    private SetNxPxProtocol protocol;
    private int claims;

    @BeforeAll
    static void start() {
        cluster = ClusterServers.start(3, 1);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() {
        protocol.close();
        cluster.awaitSettled();
    }

    private Claim claim(String name) {
        return new Claim(name, "token-" + claims++, Duration.ofMinutes(5), Fixture.PATIENCE, 1);
    }

    private long draw(String name) {
        Claim claim = claim(name);
        long token = granted(claim);
        protocol.release(claim);
        return token;
    }

    private long granted(Claim claim) {
        Attempt attempt = protocol.attempt(claim);
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).firstFence().orElseThrow();
    }

    /** Makes a client that draws tokens of a name by counting; returns the last of them. */
    private long counting(String name) {
        LockConfig config = LockConfig.builder()
                .endpoints(cluster.uri())
                .commandTimeout(Fixture.PATIENCE)
                // A second connection, for whatever is done beside, would be a reason not to count.
                .option("card", "false")
                .option(ConnectionSettings.SHARED_CONNECTIONS.name(), "1")
                .build();
        node = new InterposedNode(RedisNodes.open(ClientLibrary.INTERLOCK, config, Environment.system()));
        protocol = new SetNxPxProtocol(node, Settings.of(config), config, new TimelessEnvironment());
        long last = 0;
        for (int i = 0; i < 100 && !node.sent.contains("INCRBY"); i++) {
            last = draw(name);
        }
        assertThat(node.sent).contains("INCRBY");
        node.sent.clear();
        return last;
    }

    private static RedisServer another(RedisServer server) {
        return cluster.primaries().stream()
                .filter(each -> each.port() != server.port())
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "{", "}", "{}", "a{b}c", "{a}{b}", ":fence"})
    void theThreeCommandsAreForKeysOfOneSlotWhateverTheName(String name) {
        long last = counting(name);
        Claim claim = claim(name);
        assertThat(granted(claim)).isEqualTo(last + 1);
        // Nothing had to be asked for again, as where another node is responsible for one of them.
        assertThat(node.sent).containsExactly("SET", "INCRBY", "EXISTS");
        protocol.release(claim);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET", "INCRBY", "EXISTS"})
    void aLockWhoseSlotMovesBeforeACommandIsTakenAtTheNextNode(String command) {
        String name = "moved-before-" + command;
        String key = Fixture.key(name);
        long last = counting(name);
        int slot = cluster.slotOf(key);
        RedisServer former = cluster.nodeOfSlot(slot);
        RedisServer next = another(former);
        node.beforeCommand(command, () -> cluster.migrateSlot(slot, next));
        Claim claim = claim(name);
        assertThat(granted(claim)).isGreaterThan(last);
        assertThat(next.command("GET", key)).isEqualTo(LockWord.of(claim));
        assertThat(former.command("KEYS", "*" + name + "*")).isEqualTo(List.of());
        protocol.release(claim);
        assertThat(next.command("GET", key)).isNull();
        assertThat(draw(name)).isGreaterThan(last + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET", "INCRBY", "EXISTS"})
    void aLockWhosePrimaryIsReplacedBeforeACommandIsTakenAtTheNextOne(String command) {
        String name = "replaced-before-" + command;
        String key = Fixture.key(name);
        long last = counting(name);
        RedisServer former = cluster.nodeOfSlot(cluster.slotOf(key));
        RedisServer[] next = new RedisServer[1];
        node.beforeCommand(command, () -> next[0] = cluster.failOver(former));
        Claim claim = claim(name);
        Attempt attempt = protocol.attempt(claim);
        // Its connections may be closed when a primary becomes a replica.
        assertThat(attempt).isInstanceOfAny(Attempt.Granted.class, Attempt.Failed.class);
        if (attempt instanceof Attempt.Granted granted) {
            assertThat(granted.firstFence().orElseThrow()).isGreaterThan(last);
            assertThat(next[0].command("GET", key)).isEqualTo(LockWord.of(claim));
        }
        Fixture.giveBack(protocol, claim);
        assertThat(next[0].command("GET", key)).isNull();
        assertThat(Fixture.draw(protocol, () -> claim(name))).isGreaterThan(last);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLockWhoseSlotIsJustMovingIsNotTaken(boolean counterHasMoved) {
        String name = "moving-" + counterHasMoved;
        String key = Fixture.key(name);
        long last = counting(name);
        int slot = cluster.slotOf(key);
        RedisServer former = cluster.nodeOfSlot(slot);
        RedisServer next = another(former);
        SlotMigration migration = cluster.beginMigration(slot, next);
        if (counterHasMoved) {
            migration.moveKeys();
        }
        Attempt attempt = protocol.attempt(claim(name));
        assertThat(node.sent).startsWith("SET", "INCRBY", "EXISTS");
        // A script whose keys are not all there has to wait until they are.
        assertThat(attempt)
                .isInstanceOfSatisfying(
                        Attempt.Failed.class,
                        failed -> assertThat(failed.cause().reason()).isEqualTo(Reason.UNREACHABLE));
        assertThat(former.command("KEYS", "*" + name + "}")).isEqualTo(List.of());
        assertThat(next.command("KEYS", "*" + name + "}")).isEqualTo(List.of());
        migration.finish();
        cluster.awaitSettled();
        assertThat(draw(name)).isGreaterThan(last);
    }
}
