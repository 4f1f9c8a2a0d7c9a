// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.testservers.CommandMonitor;
import dev.interlock.testservers.RedisServer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A primary with a replica, which is to acknowledge what plain locks and ours have written. */
class ReplicaTest {
    private static RedisServer primary;
    private static RedisServer replica;

    /** Does not wait long for a replica that stands still. */
    private static RedissonClient impatient;

    /** Waits for a replica however long that takes. */
    private static RedissonClient patient;

    @BeforeAll
    static void start() {
        primary = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
        await().atMost(Fixture.PATIENCE)
                .until(() -> primary.command("INFO", "replication").toString().contains("state=online"));
        impatient = client(200);
        patient = client(Fixture.TIMEOUT.toMillis() / 2);
    }

    private static RedissonClient client(long slavesSyncTimeout) {
        Config config = new Config().setSlavesSyncTimeout(slavesSyncTimeout);
        Fixture.patient(config.useReplicatedServers())
                .addNodeAddress(primary.uri(), replica.uri())
                .setMasterConnectionMinimumIdleSize(1)
                .setSlaveConnectionMinimumIdleSize(1)
                .setRetryAttempts(0);
        return Redisson.create(config);
    }

    @AfterAll
    static void stop() {
        impatient.shutdown(0, 1, TimeUnit.SECONDS);
        patient.shutdown(0, 1, TimeUnit.SECONDS);
        replica.close();
        primary.close();
    }

    private static LockConfig config() {
        return LockConfig.builder()
                .endpoints(primary.uri() + "," + replica.uri())
                .commandTimeout(Fixture.TIMEOUT)
                // Requests are counted, and a renewal may be followed by one that writes the card.
                .option("card", "false")
                .build();
    }

    private static LeaseProtocol protocol(RedissonClient client) {
        return protocol(
                config(), new HandedInClient(client, new RedissonFailures("the servers"), Environment.system()));
    }

    private static LeaseProtocol protocol(LockConfig config, ClientSource source) {
        return new RedissonProtocol(
                source,
                new RedissonKeys(config.keyPrefix(), UnaryOperator.identity(), false),
                Settings.of(config),
                new RedissonFailures("the servers"),
                config,
                Environment.system());
    }

    private static Claim claim(String name) {
        return new Claim(name, Environment.system().newToken(), Fixture.LONG, Fixture.TIMEOUT, 1);
    }

    private static boolean isTaken(String name) {
        return primary.command("EXISTS", name).equals(1L);
    }

    @Test
    void anAcquisitionThatNoReplicaAcknowledgesIsUndoneAsThatOfAPlainLockIs() {
        try (DistributedLockFactory factory = RedissonLocks.builder()
                .redisson(impatient)
                .config(LockConfig.builder().commandTimeout(Fixture.TIMEOUT).build())
                .build()) {
            RLock plain = impatient.getLock("plain");
            DistributedLock ours = factory.getLock("ours");
            replica.pause();
            try {
                assertThatThrownBy(plain::tryLock).hasStackTraceContaining("None of slaves were synced");
                assertThatThrownBy(ours::tryLock).isInstanceOfSatisfying(LockBackendException.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN);
                    assertThat(e).hasMessageContaining("none of the 1 replicas");
                });
                assertThat(ours.isHeldByCurrentThread()).isFalse();
                await().atMost(Fixture.PATIENCE).until(() -> !isTaken("plain") && !isTaken("ours"));
            } finally {
                replica.resume();
            }
            // The replica may not have caught up at first.
            await().atMost(Fixture.PATIENCE)
                    .ignoreExceptionsInstanceOf(LockBackendException.class)
                    .until(() -> {
                        ours.lock();
                        ours.unlock();
                        return true;
                    });
        }
    }

    @Test
    void aRenewalThatNoReplicaAcknowledgesIsAFailure() {
        LeaseProtocol protocol = protocol(impatient);
        Claim claim = claim("renewed");
        await().atMost(Fixture.PATIENCE).until(() -> protocol.attempt(claim) instanceof Attempt.Granted);
        replica.pause();
        try {
            assertThat(protocol.renew(List.of(claim, claim("nobody's"))))
                    .satisfiesExactly(
                            mine -> assertThat(mine).isInstanceOf(Renewal.Failed.class),
                            other -> assertThat(other).isInstanceOf(Renewal.Lost.class));
            assertThat(protocol.attempt(claim("renewed")))
                    .as("a refusal needs no replica")
                    .isInstanceOf(Attempt.Refused.class);
        } finally {
            replica.resume();
        }
        await().atMost(Fixture.PATIENCE)
                .until(() -> protocol.renew(List.of(claim)).get(0) instanceof Renewal.Renewed);
    }

    /** Newer servers than Redis 7.0 answer a WAIT at once whose connection has written nothing. */
    @Test
    void aRenewalOfALongerLeaseIsWrittenToTheReplicaAllTheSame() {
        LeaseProtocol protocol = protocol(patient);
        Claim claim = claim("longer");
        assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
        long longer = 10 * Fixture.LONG.toMillis();
        primary.command("PEXPIRE", "longer", Long.toString(longer));
        await().atMost(Fixture.PATIENCE).until(() -> (Long) replica.command("PTTL", "longer") > longer / 2);
        long before = replica.commandStats().getOrDefault("pexpireat", 0L);
        assertThat(protocol.renew(List.of(claim)).get(0)).isInstanceOf(Renewal.Renewed.class);
        assertThat(replica.commandStats().getOrDefault("pexpireat", 0L)).isGreaterThan(before);
        assertThat((Long) replica.command("PTTL", "longer")).as("no shorter").isGreaterThan(longer / 2);
        protocol.release(claim);
    }

    @Test
    void acquisitionsAndRenewalsAreFollowedByAWaitForTheReplica() {
        LeaseProtocol protocol = protocol(patient);
        Claim claim = claim("followed");
        protocol.attempt(claim);
        protocol.renew(List.of(claim));
        protocol.release(claim);
        try (CommandMonitor monitor = primary.monitor()) {
            assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
            assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
            protocol.release(claim);
            monitor.sync();
            assertThat(monitor.commands())
                    .filteredOn(command -> command.get(0).equals("WAIT")
                            // The other one asks for the number of replicas, and is sent now and then.
                            || (command.get(0).equals("EVALSHA") && command.size() > 4))
                    .map(command -> command.get(0))
                    .containsExactly("EVALSHA", "WAIT", "EVALSHA", "WAIT", "EVALSHA");
        }
    }

    @Tag("deep")
    @Test
    void theDocumentedAccessControlListSuffices() throws Exception {
        String[] list = CommandsTest.documentedList(1).replace(">…", ">s3cret").split(" ");
        primary.command(list);
        replica.command(list);
        LockConfig listed = config().toBuilder()
                .endpoints("redis://locker:s3cret@127.0.0.1:" + primary.port() + ",redis://locker:s3cret@127.0.0.1:"
                        + replica.port())
                .build();
        Config client = new ClientConfig(listed).build();
        try (LeaseProtocol protocol =
                protocol(listed, new OwnClient(client, new RedissonFailures("the servers"), Environment.system()))) {
            Claim claim = claim("invoice:42");
            assertThat(protocol.attempt(claim)).isInstanceOf(Attempt.Granted.class);
            assertThat(protocol.renew(List.of(claim))).first().isInstanceOf(Renewal.Renewed.class);
            assertThat(protocol.release(claim)).isInstanceOf(Release.Freed.class);
        }
        assertThat((List<?>) primary.command("ACL", "LOG"))
                .as("commands that were refused, but for Redisson's own look for a cluster, which it does without")
                .allSatisfy(refusal -> assertThat(refusal.toString()).contains("object, eval,"));
    }

    @Tag("deep")
    @Test
    void aReplicaThatIsGoneIsNotWaitedFor() {
        try (RedisServer lonely = RedisServer.start("--repl-diskless-sync-delay", "0")) {
            LockConfig.Builder config = LockConfig.builder().commandTimeout(Fixture.TIMEOUT);
            RedisServer gone = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(lonely.port()));
            await().atMost(Fixture.PATIENCE)
                    .until(() ->
                            lonely.command("INFO", "replication").toString().contains("state=online"));
            try (DistributedLockFactory factory = new RedissonStrategyProvider()
                    .newFactory(
                            config.endpoints(lonely.uri() + "," + gone.uri()).build())) {
                assertThat(factory.getLock("a").tryLock()).isTrue();
                gone.close();
                await().atMost(Fixture.PATIENCE)
                        .until(() ->
                                lonely.command("INFO", "replication").toString().contains("connected_slaves:0"));
                assertThat(factory.getLock("b").tryLock()).isTrue();
                assertThat(factory.getLock("c").tryLock()).isTrue();
            }
        }
    }
}
