// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.InspectedLock.Votes;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.redlock.Fixture;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inspection of redlock's locks by an operator, and releases by force. */
class InspectionTest {
    private static final String NAME = "invoice:42";

    private final Fixture redis = new Fixture(3);
    private final LockInspection inspection = open(0, 1, 2);

    @AfterEach
    void close() {
        redis.close();
    }

    private LockInspection open(int... servers) {
        return open("interlock", servers);
    }

    private LockInspection open(String wire, int... servers) {
        String endpoints =
                IntStream.of(servers).mapToObj(i -> redis.servers.get(i).uri()).collect(Collectors.joining(","));
        return redis.closeLater(new RedlockInspectionProvider()
                .open(LockConfig.of(endpoints).toBuilder()
                        .commandTimeout(Fixture.PATIENCE)
                        .option("wire", wire)
                        .build()));
    }

    private InspectedLock look() {
        return inspection.look(NAME).orElseThrow();
    }

    private LockHandle hold(DistributedLock lock) {
        return redis.acquireEverywhere(lock);
    }

    private DistributedLock lock() {
        return redis.factory().getLock(NAME, Fixture.unrenewed(Duration.ofSeconds(60)));
    }

    @Test
    void theHolderIsWhomAMajorityHasAndItsTokenIsNotTold() {
        assertThat(inspection.look(NAME)).isEmpty();
        LockHandle handle = hold(lock());
        InspectedLock seen = look();
        assertThat(seen.votes()).contains(new Votes(3, 3, 3, true));
        assertThat(seen.note()).isEmpty();
        assertThat(seen.remaining().orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        assertThat(seen.lastFence().orElseThrow())
                .isGreaterThanOrEqualTo(handle.fencingToken().orElseThrow());
        String token = String.valueOf(redis.servers.get(0).command("GET", Fixture.key(NAME)));
        assertThat(seen.toString()).doesNotContain(token.substring(0, 8));

        redis.servers.get(0).command("DEL", Fixture.key(NAME));
        assertThat(look().votes()).contains(new Votes(2, 3, 3, true));
        redis.servers.get(1).command("SET", Fixture.key(NAME), token.replaceFirst("-\\d+$", "-77"), "PX", "60000");
        InspectedLock disputed = look();
        assertThat(disputed.votes()).contains(new Votes(1, 3, 3, false));
        assertThat(disputed.note()).contains("no majority");
    }

    /** Some clients of other makes leave it to their callers what the key holds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5f0c3f1e-9a52-4c15-8d3b-0d8f7f2b9c11 | RedLock.net",
                "worker-7                             | a format that is not known",
                "worker-in-production-eu1-7           | a format that is not known"
            })
    void theLockOfAClientOfAnotherMakeIsShownAndNotReleasedByForce(String value, String said) {
        LockInspection plain = open("plain", 0, 1, 2);
        redis.servers.forEach(server -> server.command("SET", NAME, value, "PX", "60000"));
        InspectedLock seen = plain.look(NAME).orElseThrow();
        assertThat(seen.note()).contains("a client of another make", said);
        assertThat(seen.holder().factory()).isEmpty();
        assertThat(plain.release(seen)).isFalse();
        assertThat(redis.servers).allMatch(server -> value.equals(server.command("GET", NAME)));
    }

    @Test
    void oneServerOfAClusterThatKeepsNoListDoesNotDecide() {
        hold(lock());
        InspectedLock seen = open(1).look(NAME).orElseThrow();
        assertThat(seen.votes()).contains(new Votes(1, 1, 1, false));
        assertThat(seen.note()).contains("name them all");
    }

    @Test
    void aServerThatIsGoneIsCountedAsOneThatHasNotAnsweredAndTheOthersAreRead() {
        hold(lock());
        redis.servers.get(2).stop();
        assertThat(look().votes()).contains(new Votes(2, 2, 3, true));
        redis.servers.get(1).stop();
        InspectedLock seen = look();
        assertThat(seen.votes()).contains(new Votes(1, 1, 3, false));
        assertThatThrownBy(() -> inspection.release(seen))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("no majority of the servers answers");
        assertThat(redis.servers.get(0).command("EXISTS", Fixture.key(NAME))).isEqualTo(1L);
        redis.servers.get(0).stop();
        assertThatThrownBy(this::look)
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("none of the servers answers");
        redis.servers.forEach(RedisServer::restart);
    }

    /** A thread of another client that waits for the lock and holds it until it is told to go on. */
    private FutureTask<Boolean> waiting(DistributedLockFactory factory, int waiters, CountDownLatch goOn) {
        FutureTask<Boolean> turn = Fixture.start(() -> {
            LockHandle handle = factory.getLock(NAME).acquire();
            goOn.await();
            try {
                handle.close();
            } catch (LeaseLostException e) {
                // A root that is passed on is valid for two seconds, in which a busy machine may fail to renew it.
            }
            return true;
        });
        await().atMost(Fixture.PATIENCE).until(() -> look().waiting().orElse(0) == waiters);
        return turn;
    }

    @Test
    void thoseWhoWaitAreSeenInTheirOrderAndAReleaseByForceGrantsTheLockToTheFirst() throws Exception {
        DistributedLock held = lock();
        hold(held).close();
        held.lock();
        CountDownLatch goOn = new CountDownLatch(1);
        List<FutureTask<Boolean>> turns = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            turns.add(waiting(redis.generous(), i, goOn));
        }
        InspectedLock seen = look();
        assertThat(seen.waiters())
                .hasSize(2)
                .extracting(waiter -> waiter.since().orElseThrow())
                .isSorted();
        String first = seen.waiters().get(0).factory().orElseThrow();
        assertThat(seen.waiters())
                .extracting(LockParty::factory)
                .doesNotHaveDuplicates()
                .doesNotContain(seen.holder().factory());

        assertThat(inspection.release(seen)).isTrue();
        await().atMost(Fixture.PATIENCE)
                .until(() -> inspection
                        .look(NAME)
                        .filter(lock -> lock.votes().orElseThrow().decided())
                        .flatMap(lock -> lock.holder().factory())
                        .filter(first::equals)
                        .isPresent());
        assertThatThrownBy(held::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(inspection.release(seen)).as("the claim of before").isFalse();
        goOn.countDown();
        for (FutureTask<Boolean> turn : turns) {
            assertThat(turn.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theOwnerOfARootThatWasPassedOnIsWhoItWasPassedTo() throws Exception {
        LockHandle handle = hold(redis.factory().getLock(NAME));
        String root = String.valueOf(redis.servers.get(0).command("GET", Fixture.key(NAME)));
        String owner = root.replaceFirst("-\\d+(\\.\\d+)?$", "-99");
        String factory = "another-factory-of-which-nobody-knows-the-secret";
        redis.servers
                .get(1)
                .command("SET", Fixture.key(NAME) + ":lead", root + " 3 " + factory + "-5.1 1 0 0 -", "PX", "60000");
        redis.servers.get(2).command("SET", Fixture.key(NAME) + ":lead", root + " 1 " + owner + " 1 0 0 -");
        assertThat(look().holder().factory())
                .contains(LockParty.of(factory + "-5.1").factory().orElseThrow());
        assertThat(look().holder().since()).isEmpty();
        handle.close();
    }

    @Test
    void aLongLeaseThatNobodyRenewsHasACardOnTheNodesThatAreConnected() {
        hold(redis.factory().getLock(NAME, Fixture.unrenewed(Duration.ofSeconds(59))));
        await().atMost(Fixture.PATIENCE).until(() -> look().holder().card().isPresent());
        FactoryCard card = look().holder().card().orElseThrow();
        assertThat(card.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(card.started()).isBefore(Instant.now().plusSeconds(1));
        String key = "interlock:factory:" + look().holder().factory().orElseThrow();
        // A majority was connected, or the lock would not have been granted.
        await().atMost(Fixture.PATIENCE)
                .until(() -> redis.servers.stream()
                                .filter(server -> Objects.equals(server.command("EXISTS", key), 1L))
                                .count()
                        >= 2);
    }

    @Test
    @Tag("deep")
    void whoNamesOneServerOfAClusterThatKeepsItsListSeesAllOfThem() {
        DistributedLock lock = redis.factory(config -> Fixture.trusting(config)
                        .option("cold-start", "wait")
                        .option("max-lease", "3s")
                        .lockDefaults(LockOptions.builder()
                                .lease(Duration.ofSeconds(3))
                                .build()))
                .getLock(NAME);
        hold(lock);
        LockInspection one = open(2);
        // A node to which a busy machine connects too slowly is asked again after a while.
        await().atMost(Fixture.PATIENCE)
                .untilAsserted(
                        () -> assertThat(one.look(NAME).orElseThrow().votes()).contains(new Votes(3, 3, 3, true)));
    }
}
