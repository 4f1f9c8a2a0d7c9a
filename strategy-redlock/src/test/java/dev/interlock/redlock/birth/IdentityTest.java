// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.birth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
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
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.GatedNode;
import dev.interlock.redlock.RedlockLocks;
import dev.interlock.redlock.RedlockStrategyProvider;
import dev.interlock.testservers.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a client uses what servers say about themselves. */
class IdentityTest {
    private final Fixture redis = new Fixture(3);

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void twoEndpointsThatLeadToOneServerAreAnError() {
        redis.proxies.get(2).redirect("127.0.0.1", redis.servers.get(0).port());
        DistributedLock lock = redis.factory().getLock("alias");

        await().atMost(Fixture.PATIENCE).untilAsserted(() -> {
            LockBackendException failure = catchThrowableOfType(LockBackendException.class, () -> {
                if (lock.tryLock()) {
                    lock.unlock();
                }
            });
            assertThat(failure).isNotNull().hasMessageContaining("are one and the same server");
            assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        });

        redis.proxies.get(2).redirect("127.0.0.1", redis.servers.get(2).port());
        redis.proxies.get(2).cutConnections();
        await("the error ends with its cause")
                .atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(lock::tryLock);
    }

    @Test
    void twoEndpointsThatLeadToOneServerAreAnErrorAtTheFirstAcquisitionToo() {
        redis.proxies.get(2).redirect("127.0.0.1", redis.servers.get(0).port());
        redis.servers.get(1).pause();
        DistributedLock lock = redis.factory().getLock("alias");

        assertThatExceptionOfType(LockBackendException.class)
                .isThrownBy(lock::tryLock)
                .withMessageContaining("are one and the same server");
        await("nothing stays behind")
                .atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.get(0).command("GET", "interlock:{alias}") == null);
    }

    @Test
    @Tag("deep")
    void aServerThatAnswersUnderTwoNamesHasOneVoteThoughOneConnectionHasEndedWhenItIsLookedAt() {
        redis.proxies.get(2).redirect("127.0.0.1", redis.servers.get(0).port());
        redis.servers.get(1).pause();
        CountDownLatch gone = new CountDownLatch(1);
        AtomicReference<LeaseProtocol> asked = new AtomicReference<>();
        GatedNode.Gate waits = number -> {
            if (number == 0) {
                gone.await();
            }
        };
        GatedNode.Gate ends = new GatedNode.Gate() {
            @Override
            public void beforeScript(int number) {}

            @Override
            public void afterReply(int number) {
                if (number == 0) {
                    Fixture.start(() -> {
                        redis.proxies.get(2).refuse();
                        // A request makes the client notice that its connection has ended.
                        for (int i = 0; i < 4; i++) {
                            Claim other = Fixture.claim("other").withTimeout(Duration.ofMillis(100));
                            asked.get().renew(List.of(other));
                        }
                        gone.countDown();
                        return null;
                    });
                }
            }
        };
        asked.set(redis.protocol(
                config -> Fixture.trusting(config).option("node-timeout", "3s").option("fencing", "false"),
                Environment.system(),
                (index, node) -> index == 1 ? node : new GatedNode(node, index == 0 ? waits : ends),
                Fixture.reports()));

        assertThat(asked.get().attempt(Fixture.claim("alias"))).isInstanceOf(Attempt.Failed.class);
    }

    @Test
    void anEndpointThatIsNamedTwiceIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new RedlockStrategyProvider().newFactory(LockConfig.of("redis://a:1,redis://b:1,redis://a:1")))
                .withMessageContaining("redis://a:1");
    }

    @Test
    void aServerThatSentinelWatchesIsRefusedUnlessForced() {
        RedisClient sentinel = RedisClient.create();
        try {
            for (FaultProxy watched : redis.proxies.subList(0, 2)) {
                sentinel.connectPubSub(RedisURI.create(watched.uri())).sync().subscribe("__sentinel__:hello");
            }

            LockBackendException failure = catchThrowableOfType(
                    LockBackendException.class,
                    () -> redis.factory().getLock("watched").tryLock());

            assertThat(failure).hasMessageContaining("is watched by Sentinel").hasMessageContaining("failover=allow");
            assertThat(redis.factory(config -> Fixture.trusting(config).option("failover", "allow"))
                            .getLock("watched")
                            .tryLock())
                    .isTrue();
        } finally {
            sentinel.shutdown();
        }
    }

    @Test
    void aServerThatIsAReplicaIsRefusedEvenIfForced() {
        String primary = String.valueOf(redis.servers.get(0).port());
        redis.servers.subList(1, 3).forEach(server -> server.command("REPLICAOF", "127.0.0.1", primary));

        for (String failover : List.of("refuse", "allow")) {
            DistributedLock lock = redis.factory(
                            config -> Fixture.trusting(config).option("failover", failover))
                    .getLock("copied");

            // A server that copies the primary's data for the first time may not tell for a moment what it is.
            await(failover).atMost(Fixture.PATIENCE).untilAsserted(() -> {
                LockBackendException failure = catchThrowableOfType(LockBackendException.class, () -> lock.tryLock());
                assertThat(failure)
                        .hasMessageContaining("is a replica of 127.0.0.1:" + primary)
                        .hasMessageContaining("give the address of the primary");
            });
        }
        assertThat(redis.servers.get(0).command("GET", Fixture.key("copied")))
                .as("the vote of the primary")
                .isNull();
    }

    @Test
    void sentinelsThatAreHandedInAreRefusedUnlessForced() {
        RedisClient client = RedisClient.create();
        try {
            RedlockLocks locks = RedlockLocks.builder()
                    .lettuce(client, List.of(RedisURI.create("redis-sentinel://:hunter2@a.invalid#primary")));
            assertThatIllegalArgumentException()
                    .isThrownBy(locks::build)
                    .withMessageContaining("failover=allow")
                    .withMessageNotContaining("hunter2");
        } finally {
            client.shutdown();
        }
    }

    @Test
    void aUserWhoMayNotAskWhenTheServerStartedIsToldSo() {
        redis.servers.forEach(server -> server.command("ACL", "SETUSER", "default", "-info"));
        DistributedLock lock = redis.factory(config ->
                        Fixture.trusting(config).option("cold-start", "wait").option("max-lease", "30s"))
                .getLock("secretive");

        LockBackendException failure = catchThrowableOfType(LockBackendException.class, lock::tryLock);

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("INFO").hasMessageContaining("access control list");
    }

    @Test
    void whereServersAreTrustedTheyNeedNotSayWhenTheyStarted() {
        redis.servers.forEach(server -> server.command("ACL", "SETUSER", "default", "-info"));

        assertThat(redis.factory().getLock("trusted").tryLock()).isTrue();
    }

    @Test
    void aServerThatMayDeleteLocksIsWarnedOf() {
        Logger logger = Logger.getLogger("dev.interlock.redis");
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                warnings.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            redis.servers.get(0).command("CONFIG", "SET", "maxmemory", "1gb");
            redis.servers.get(0).command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
            redis.servers.get(1).command("CONFIG", "SET", "maxmemory", "1gb");
            redis.servers.get(2).command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            DistributedLockFactory factory = redis.factory();
            redis.warmUp(factory);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(warnings)
                .filteredOn(warning -> warning.contains("maxmemory"))
                .filteredOn(warning -> redis.proxies.stream().anyMatch(proxy -> warning.contains(proxy.uri())))
                .singleElement()
                .asString()
                .contains(redis.proxies.get(0).uri())
                .contains("volatile-ttl")
                .contains("set maxmemory-policy noeviction");
    }
}
