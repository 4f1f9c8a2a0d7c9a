// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ShiftedEnvironment;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests of all nodes that open their own connections to an endpoint. */
abstract class OwnConnectionsContract extends RedisNodeContract {
    /** Opens a node with settings of its own. */
    abstract RedisNode open(RedisEndpoint endpoint, ConnectionSettings settings, Environment env);

    @Override
    final RedisNode open(String uri, Environment env) {
        return open(RedisEndpoint.parse(uri), ConnectionSettings.of(CONFIG), env);
    }

    @Test
    void aUserNeedsNoPermissionButForTheCommandsThatAreCalled() {
        RedisServer server = start();
        server.command("ACL", "SETUSER", "locks", "on", ">p@ss/word", "~lock:*", "&lock:*", "+set", "+subscribe");
        RedisNode node = node("redis://locks:p%40ss%2Fword@127.0.0.1:" + server.port());

        assertThat(node.call(RedisCommand.of("SET", "lock:k", "v"), LONG)).isEqualTo("OK");
    }

    @Test
    void theGenerationChangesWithEachConnectionAndEachSignOfAnotherPrimary() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        RedisNode other = node(server.uri());
        node.call(PING, LONG);
        long first = node.generation("k");
        node.call(PING, LONG);
        failure(() -> node.call(RedisCommand.of("NONSENSE"), LONG));
        assertThat(node.generation("k")).as("the same connection").isEqualTo(first);
        assertThat(other.generation("k")).as("none of its own").isNotEqualTo(first);

        server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await().atMost(LONG).ignoreExceptions().until(() -> node.call(PING, LONG) != null);
        long second = node.generation("k");
        assertThat(second).as("another connection").isGreaterThan(first);

        server.command("REPLICAOF", "127.0.0.1", "1");
        failure(() -> node.call(TAKE, LONG));
        server.command("REPLICAOF", "NO", "ONE");
        assertThat(node.generation("k")).as("it was a replica").isGreaterThan(second);
    }

    @Test
    void renewalsDoNotWaitBehindThreadsThatHoldAllConnections() throws Exception {
        RedisServer server = start();
        ConnectionSettings settings =
                ConnectionSettings.of(CONFIG).toBuilder().connections(1).build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(server.uri()), settings, Environment.system()));
        server.command("SET", "held", "mine");
        Acknowledgement replica = new Acknowledgement(1, false);
        ExecutorService executor = closeLater(new Executor(1)).service;
        Future<?> acquiring = executor.submit(() -> node.callAcknowledged(TAKE, replica, LONG.multipliedBy(3)));
        awaitBlockedClients(server, 1);

        assertThat(node.transactWhereEqual(
                        List.of("held"), List.of("mine"), List.of(RedisCommand.of("SET", "held", "renewed")), LONG))
                .containsExactly("mine");
        assertThat(node.callAcknowledged(PING, Acknowledgement.NONE.urgently(), LONG)
                        .reply())
                .isEqualTo("PONG");
        assertThat(acquiring.isDone())
                .as("the only connection for acquisitions waits for a replica")
                .isFalse();
        server.command("CLIENT", "UNBLOCK", blockedClient(server));
        acquiring.get();
    }

    private static String blockedClient(RedisServer server) {
        return String.valueOf(server.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" flags=b "))
                .map(line -> line.substring("id=".length(), line.indexOf(' ')))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void onlyALogInAndOneQuestionPrecedeTheFirstCommand() {
        RedisServer server = start("--requirepass", "hunter2");
        try (CommandMonitor monitor = server.monitor()) {
            node("redis://:hunter2@127.0.0.1:" + server.port() + "/1").call(RedisCommand.of("GET", "k"), LONG);

            assertThat(monitor.commands())
                    .containsExactly(
                            List.of("AUTH", "(redacted)"),
                            List.of("SELECT", "1"),
                            List.of("INFO"),
                            List.of("GET", "k"));
        }
    }

    @Test
    void aServerIsExaminedAtItsFirstConnectionAndAfterAFailure() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        RedisNode node = node(proxy.uri());
        try (CommandMonitor monitor = server.monitor()) {
            node.call(PING, LONG);
            useManyConnections(server, node);
            assertThat(count(monitor, "INFO")).isEqualTo(1);

            proxy.trap(SECRET, FaultProxy.Trap.LOSE_REPLY);
            failure(() -> node.call(TAKE, LONG));
            useManyConnections(server, node);
            assertThat(count(monitor, "INFO")).isGreaterThan(1);
        }
    }

    @Test
    void aReplicaThatWasGivenAsAPrimaryIsSaidToBeOneUntilItIsPromoted() {
        RedisServer server = start();
        server.command("REPLICAOF", "127.0.0.1", "1");
        RedisNode node = node(server.uri());

        LockBackendException failure = failure(() -> node.call(TAKE, LONG));
        server.command("REPLICAOF", "NO", "ONE");

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        assertThat(failure).hasMessageContaining("is a replica of 127.0.0.1:1").hasMessageContaining("primary");
        assertThat(node.call(TAKE, LONG)).isEqualTo("OK");
    }

    @Test
    void connectionsBearTheNameThatWasChosenWhereTheServerAllowsIt() {
        RedisServer server = start();
        server.command("ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all", "-client");
        LockConfig config =
                CONFIG.toBuilder().option("client-name", "locks-of-billing").build();

        closeLater(open(server.uri(), config)).call(PING, LONG);
        assertThat(String.valueOf(server.command("CLIENT", "LIST"))).contains("name=locks-of-billing");
        RedisNode forbidden = closeLater(open("redis://locks:secret@127.0.0.1:" + server.port(), config));
        assertThat(forbidden.call(PING, LONG)).isEqualTo("PONG");
    }

    @Test
    void aSupplierIsAskedAgainBeforeItsCredentialsExpire() {
        RedisServer server = start();
        server.command("ACL", "SETUSER", "locks", "on", ">token-1", "~*", "&*", "+@all");
        ShiftedEnvironment env = new ShiftedEnvironment();
        AtomicInteger asked = new AtomicInteger();
        ConnectionSettings settings = ConnectionSettings.of(CONFIG).toBuilder()
                .credentials(() -> RedisCredentials.of("locks", "token-" + asked.incrementAndGet())
                        .until(Instant.ofEpochMilli(env.currentTimeMillis()).plusSeconds(600)))
                .build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(server.uri()), settings, env));
        node.call(PING, LONG);
        server.command("ACL", "SETUSER", "locks", ">token-2", "<token-1");

        env.putForward(TimeUnit.SECONDS.toNanos(300));
        node.call(PING, LONG);
        assertThat(asked).hasValue(1);
        env.putForward(TimeUnit.SECONDS.toNanos(240));

        assertThat(node.call(RedisCommand.of("ACL", "WHOAMI"), LONG)).isEqualTo("locks");
        assertThat(asked).hasValue(2);
    }

    @Tag("deep")
    @Test
    void aSubscriptionIsOpenedAgainBeforeItsCredentialsExpire() {
        RedisServer server = start();
        server.command("ACL", "SETUSER", "locks", "on", ">token", "~*", "&*", "+@all");
        AtomicInteger asked = new AtomicInteger();
        ConnectionSettings settings = ConnectionSettings.of(CONFIG).toBuilder()
                .credentials(() -> RedisCredentials.of("locks", "token")
                        .until(Instant.now().plusSeconds(asked.incrementAndGet() == 1 ? 1 : 3600)))
                .build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(server.uri()), settings, Environment.system()));
        AtomicInteger begun = new AtomicInteger();
        node.subscribe("channel", counting(begun));

        // A connection that a busy machine opens too slowly costs a further one.
        awaitAtLeast(2, begun, asked);
    }

    @Test
    void aSupplierThatFailsIsBlamed() {
        ConnectionSettings settings = ConnectionSettings.builder()
                .credentials(() -> {
                    throw new IllegalStateException("no identity");
                })
                .build();
        RedisNode node = closeLater(open(RedisEndpoint.parse(start().uri()), settings, Environment.system()));

        LockBackendException failure = failure(() -> node.call(PING, LONG));

        assertThat(failure.reason()).isEqualTo(UNREACHABLE);
        assertThat(failure).hasMessageContaining("supplier failed with java.lang.IllegalStateException");
    }

    @Test
    void aTokenThatIsSuppliedAndRefusedIsNotShown() {
        ConnectionSettings settings = ConnectionSettings.builder()
                .credentials(() -> RedisCredentials.of("locks", "hunter2")
                        .until(Instant.now().plusSeconds(600)))
                .build();
        RedisEndpoint endpoint =
                RedisEndpoint.parse(start("--requirepass", "another").uri());
        RedisNode node = closeLater(open(endpoint, settings, Environment.system()));

        LockBackendException failure = failure(() -> node.call(PING, LONG));

        assertThat(failure.reason()).isEqualTo(REFUSED);
        assertThat(failure).hasMessageContaining("WRONGPASS");
        assertThat(settings.toString() + node).doesNotContain("hunter2");
    }

    private RedisNode open(String uri, LockConfig config) {
        return open(RedisEndpoint.parse(uri), ConnectionSettings.of(config), Environment.system());
    }

    @Test
    void connectionsThatWereLostSilentlyWhileIdleCostNoFailure() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        ShiftedEnvironment shifted = new ShiftedEnvironment();
        RedisNode node = node(proxy.uri(), shifted);
        useManyConnections(server, node);
        shifted.putForward(TimeUnit.SECONDS.toNanos(2));
        proxy.halfOpen();

        for (int i = 0; i < 20; i++) {
            assertThat(node.call(PING, LONG)).isEqualTo("PONG");
        }
    }

    @Test
    void aRequestWithoutAnAnswerCastsDoubtOnAllConnectionsThatWereIdleThen() throws Exception {
        RedisServer server = start();
        FaultProxy proxy = closeLater(FaultProxy.to(server));
        for (int i = 0; i < TRIES; i++) {
            RedisNode node = node(proxy.uri());
            useManyConnections(server, node);
            proxy.halfOpen();

            LockBackendException failure =
                    catchThrowableOfType(LockBackendException.class, () -> node.call(PING, Duration.ofMillis(200)));

            // A busy machine may take so long that the node connects again, or that the time is up before it sends.
            if (failure != null && failure.reason() == OUTCOME_UNKNOWN) {
                assertThat(failure).hasMessageContaining("no reply");
                // So soon that none of them has been silent for long.
                useManyConnections(server, node);
                return;
            }
        }
        throw new AssertionError("never sent over a connection that was idle");
    }

    @Test
    void passingErrorsOfTheServerSayThatItMayBeAskedLater() {
        RedisServer server = start();
        RedisNode node = node(server.uri());
        server.command("CONFIG", "SET", "maxmemory", "1");
        LockBackendException full = failure(() -> node.call(TAKE, LONG));
        server.command("CONFIG", "SET", "maxmemory", "0");

        assertThat(full.reason()).isEqualTo(UNREACHABLE);
        assertThat(full).hasMessageContaining("OOM").hasMessageContaining("memory");
        assertThat(node.call(TAKE, LONG)).isEqualTo("OK");
    }
}
