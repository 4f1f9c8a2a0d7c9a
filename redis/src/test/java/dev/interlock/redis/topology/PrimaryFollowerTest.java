// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two servers that both claim to be the primary, and a source that names the one that the test chooses. The client is
 * Lettuce, which does not wait for replies when it is closed.
 */
class PrimaryFollowerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisCommand BLOCKING = RedisCommand.of("BLPOP", "list", "0");
    private static final String OURS = "follower";

    private final Environment env = Environment.system();
    private final LettuceConnector connector = new LettuceConnector(
            env, ConnectionSettings.builder().clientName(OURS).build());
    private final ChosenPrimary source = new ChosenPrimary();
    private final PrimaryFollower node = new PrimaryFollower(env, "the primary", LONG, source, connector);
    private final HeardEvents heard = new HeardEvents();
    private RedisServer one;
    private RedisServer other;

    private final class ChosenPrimary implements PrimarySource {
        private final CompletableFuture<Runnable> hint = new CompletableFuture<>();
        private volatile RedisServer chosen;

        @Override
        public Candidate find(Deadline deadline) {
            String uri = chosen.uri();
            return new Candidate(uri, uri, () -> connector.connect(RedisEndpoint.parse(uri)));
        }

        @Override
        public void listen(Runnable onHint) {
            hint.complete(onHint);
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() {
        one = RedisServer.start();
        other = RedisServer.start();
        source.chosen = one;
        node.subscribe("channel", heard);
        await().atMost(LONG).until(() -> listeners(one) == 1);
    }

    @AfterEach
    void stop() {
        node.close();
        one.close();
        other.close();
    }

    private static long listeners(RedisServer server) {
        return (Long) ((List<?>) server.command("PUBSUB", "NUMSUB", "channel")).get(1);
    }

    private void awaitBlocked() {
        await().atMost(LONG)
                .until(() -> String.valueOf(one.command("INFO", "clients")).contains("blocked_clients:1\r\n"));
    }

    private static long connections(RedisServer server) {
        return String.valueOf(server.command("CLIENT", "LIST"))
                .lines()
                .filter(client -> client.contains(" name=" + OURS + " "))
                .count();
    }

    @Test
    void aHintMovesListenersWithoutACallAndNothingIsLeftAtTheFormerPrimary() throws Exception {
        node.call(RedisCommand.of("PING"), LONG);
        assertThat(connections(one)).isGreaterThanOrEqualTo(2);

        source.chosen = other;
        source.hint.get(LONG.toSeconds(), TimeUnit.SECONDS).run();

        await().atMost(LONG).until(() -> listeners(other) == 1);
        await().atMost(LONG).until(() -> connections(one) == 0);
        assertThat(heard.states()).startsWith("begun", "ended");
    }

    @Test
    void aDoubtOfASubscriptionMakesItLookForThePrimary() {
        source.chosen = other;

        node.doubtSubscriptions();

        await().atMost(LONG).until(() -> listeners(other) == 1);
    }

    @Test
    void aReplyThatIsLostMakesItLookForThePrimaryAndNothingIsSentAgain() throws Exception {
        CompletableFuture<LockBackendException> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(LockBackendException.class, () -> node.call(BLOCKING, LONG)));
        awaitBlocked();
        source.chosen = other;

        one.command("CLIENT", "KILL", "TYPE", "normal");

        assertThat(failure.get(LONG.toSeconds(), TimeUnit.SECONDS).reason())
                .isEqualTo(LockBackendException.Reason.OUTCOME_UNKNOWN);
        await().atMost(LONG).until(() -> listeners(other) == 1);
        assertThat(other.commandStats()).doesNotContainKey("blpop");
    }

    @Test
    void aCallThatIsUnderWayEndsAtTheFormerPrimary() throws Exception {
        CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> node.call(BLOCKING, LONG));
        awaitBlocked();

        source.chosen = other;
        source.hint.get(LONG.toSeconds(), TimeUnit.SECONDS).run();
        await().atMost(LONG).until(() -> listeners(other) == 1);
        one.command("RPUSH", "list", "x");

        assertThat(reply.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(List.of("list", "x"));
        await().atMost(LONG).until(() -> connections(one) == 0);
    }
}
