// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;

/** Waiters in a list in Redis, and releases that grant the lock to the first of them. */
class QueueTest extends OnChosenClients {
    private static final String NAME = "queued";
    private static final String LIST = Fixture.key(NAME) + ":waiting";

    /** The number of arguments of a request that asks for a lock, which tells it from one that releases a lock. */
    private static final int ACQUIRE_SIZE = 16;

    private static final int RELEASE_SIZE = 11;

    private static final LockOptions WHOLE = Fixture.whole(Duration.ofMinutes(5));

    private DistributedLock lockOf(DistributedLockFactory factory) {
        return lockOf(factory, NAME);
    }

    private static DistributedLock lockOf(DistributedLockFactory factory, String name) {
        return factory.getLock(name, Fixture.lease(Duration.ofSeconds(30)));
    }

    /** A client that has waited once, and so listens. */
    private DistributedLockFactory experienced() throws Exception {
        return experienced(config -> config);
    }

    private DistributedLockFactory experienced(UnaryOperator<LockConfig.Builder> tweak) throws Exception {
        DistributedLockFactory factory = redis.factory(tweak);
        DistributedLock theirs = lockOf(redis.factory(), "practice");
        theirs.lock();
        FutureTask<Long> turn = locking(lockOf(factory, "practice"));
        redis.awaitWaiters("practice", 1);
        theirs.unlock();
        get(turn);
        return factory;
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Locks and unlocks, and returns the fencing token, or -1. */
    private static FutureTask<Long> locking(DistributedLock lock) {
        return Fixture.start(() -> Fixture.pass(lock).fencingToken().orElse(-1));
    }

    private static double secondsSince(long nanoTime) {
        return (System.nanoTime() - nanoTime) / 1e9;
    }

    private void assertNobodyIsLeftInTheList() {
        assertThat(redis.server.command("KEYS", "*:waiting")).isEqualTo(List.of());
    }

    /**
     * Grants the lock to the first who waits, as a release does whose message is lost, but for longer than any test
     * lasts.
     */
    private void grantWithoutAMessage() {
        String list = Fixture.key(NAME) + ":waiting";
        String first = (String) ((List<?>) redis.server.command("ZRANGE", list, "0", "0")).get(0);
        redis.server.command("SET", Fixture.key(NAME), LockWord.MAGIC + first.split(" ")[1], "EX", "3600");
        redis.server.command("ZREM", list, first);
    }

    @Test
    void anAcquisitionThatWaitsIsTwoCommands() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        DistributedLock theirs = lockOf(experienced());
        mine.lock();
        try (CommandMonitor monitor = redis.server.monitor()) {
            long from = System.nanoTime();
            FutureTask<Long> waiting = locking(theirs);
            redis.awaitWaiters(NAME, 1);
            mine.unlock();
            get(waiting);
            await().atMost(Fixture.PATIENCE).until(() -> !redis.isTaken(NAME));
            monitor.sync();
            // To wait, to release, to release; and once or twice more for each second that this took.
            assertThat(monitor.commands()).hasSizeBetween(3, 5 + (int) (2 * secondsSince(from)));
        }
        assertNobodyIsLeftInTheList();
    }

    @Test
    @Tag("deep")
    void clientsTakeTurns() throws Exception {
        int clients = 4;
        int total = 400;
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            locks.add(lockOf(experienced()));
        }
        DistributedLock gate = lockOf(redis.factory());
        gate.lock();
        List<Long> fences = Collections.synchronizedList(new ArrayList<>());
        List<LeaseLostException> lost = new CopyOnWriteArrayList<>();
        List<FutureTask<Integer>> threads = new ArrayList<>();
        for (DistributedLock lock : locks) {
            threads.add(Fixture.start(() -> {
                int turns = 0;
                while (fences.size() < total) {
                    lock.lock();
                    lock.lease()
                            .ifPresent(lease -> fences.add(lease.fencingToken().orElseThrow()));
                    turns++;
                    try {
                        lock.unlock();
                    } catch (LeaseLostException e) {
                        lost.add(e);
                    }
                }
                return turns;
            }));
        }
        redis.awaitWaiters(NAME, clients);
        try (CommandMonitor monitor = redis.server.monitor()) {
            long from = System.nanoTime();
            gate.unlock();
            List<Integer> turns = new ArrayList<>();
            for (FutureTask<Integer> thread : threads) {
                turns.add(thread.get(5, TimeUnit.MINUTES));
            }
            monitor.sync();
            assertThat(fences).isSorted().doesNotHaveDuplicates();
            assertThat(lost)
                    .as("a busy machine may not come to renew what is good for two seconds, but not each time")
                    .hasSizeLessThan(5);
            assertThat(turns).allMatch(number -> number > 0);
            assertThat(overtaken(monitor.commands()))
                    .as("those who were let in after one who came later; whoever was too slow waits anew")
                    .isLessThan(5);
            assertThat((double) monitor.commands().size())
                    .as("two commands for each acquisition, and whoever waits for long asks again")
                    .isLessThan(2.2 * fences.size() + 2 * clients * secondsSince(from));
        }
        assertNobodyIsLeftInTheList();
    }

    /**
     * Returns how many claims got the lock after one that had asked later, in the order in which the server received
     * the requests.
     */
    private static int overtaken(List<List<String>> commands) {
        List<String> asked = arguments(commands, ACQUIRE_SIZE, 6).stream()
                .map(LockWord.MAGIC::concat)
                .toList();
        assertThat(asked).hasSizeGreaterThan(100);
        int latest = -1;
        int overtaken = 0;
        for (String released : arguments(commands, RELEASE_SIZE, 7)) {
            int place = asked.indexOf(released);
            if (place >= 0 && place < latest) {
                overtaken++;
            }
            latest = Math.max(latest, place);
        }
        return overtaken;
    }

    private static List<String> arguments(List<List<String>> commands, int size, int place) {
        return commands.stream()
                .filter(command -> command.size() == size)
                .map(command -> command.get(place))
                .toList();
    }

    @Test
    @Tag("deep")
    void aGrantThatCrossesWithATimeOutIsPassedOn() throws Exception {
        redis.holdElsewhere(NAME);
        // Neither asks again by itself.
        DistributedLock hasty = lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1))));
        DistributedLock patient = lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1))));
        FutureTask<Boolean> timed = Fixture.start(() -> hasty.tryLock(10, TimeUnit.SECONDS));
        redis.awaitWaiters(NAME, 1);
        FutureTask<Long> next = locking(patient);
        redis.awaitWaiters(NAME, 2);
        grantWithoutAMessage();
        assertThat(get(timed)).isFalse();
        get(next);
        assertNobodyIsLeftInTheList();
    }

    @Test
    void whoeverMissedItsMessageFindsItsGrantWhenItAsks() throws Exception {
        redis.holdElsewhere(NAME);
        FutureTask<Long> waiting = locking(lockOf(experienced()));
        redis.awaitWaiters(NAME, 1);
        grantWithoutAMessage();
        assertThat(get(waiting)).isPositive();
        assertNobodyIsLeftInTheList();
    }

    @Test
    void aMessageForAnotherClaimOrOfNoSenseIsNoGrant() throws Exception {
        redis.holdElsewhere(NAME);
        DistributedLock lock = lockOf(experienced());
        // Nothing else: an unlock would find out what was no grant.
        FutureTask<Void> waiting = Fixture.start(() -> {
            lock.lock();
            return null;
        });
        redis.awaitWaiters(NAME, 1);
        String channel = (String) ((List<?>) redis.server.command("PUBSUB", "CHANNELS", "interlock:client:*")).get(0);
        String first =
                (String) ((List<?>) redis.server.command("ZRANGE", Fixture.key(NAME) + ":waiting", "0", "0")).get(0);
        String token = first.split(" ")[1];
        String key = Fixture.key(NAME);
        for (String text : List.of(
                "",
                "nonsense",
                first.split(" ")[0] + " 1 9999999999999999 " + key,
                Fixture.message("another token", "1 9999999999999999 " + key),
                // Granted before the last refusal, and so long over.
                Fixture.message(token, "1 1000000 " + key),
                Fixture.message(token, "0 0 " + key),
                // Such a one is sent to whoever is in the list while others listen.
                Fixture.message(token, "0 0 " + key).replace(" 0 0 ", " 1 9999999999999999 "),
                Fixture.message(token, "1 9999999999999999 " + Fixture.key("other")))) {
            assertThat(redis.server.command("PUBLISH", channel, text)).isEqualTo(1L);
        }
        await().during(Duration.ofMillis(300)).atMost(Fixture.PATIENCE).until(() -> !waiting.isDone());
        redis.server.command("DEL", key);
        get(waiting);
    }

    @Test
    void nobodyIsGrantedTheLockWhomOnlyAPatternReaches() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        mine.lock();
        try (RedisClient eavesdropper = RedisClient.builder()
                .hostAndPort("127.0.0.1", redis.server.port())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(Math.toIntExact(Fixture.PATIENCE.toMillis()))
                        .build())
                .build()) {
            FutureTask<Object> listening = Fixture.start(() -> {
                eavesdropper.psubscribe(new JedisPubSub() {}, "interlock:*");
                return null;
            });
            await().atMost(Fixture.PATIENCE)
                    .until(() -> redis.server.command("PUBSUB", "NUMPAT").equals(1L));
            redis.server.command("ZADD", LIST, "1", "1 gone 2000 1 interlock:client:gone");
            FutureTask<Long> waiting = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1)))));
            redis.awaitWaiters(NAME, 2);
            mine.unlock();
            assertThat(redis.server.command("GET", Fixture.key(NAME))).isNotEqualTo("gone");
            get(waiting);
            redis.server.command("CLIENT", "KILL", "TYPE", "pubsub");
            listening.cancel(true);
        }
        assertNobodyIsLeftInTheList();
    }

    @Test
    void aReleaseDropsNoMoreOfThoseWhoAreGoneThanKeepTheServerBusyForAMoment() throws Exception {
        DistributedLock mine = lockOf(experienced());
        mine.lock();
        for (int i = 0; i < 250; i++) {
            redis.server.command("ZADD", LIST, String.valueOf(i), i + " gone 2000 1 interlock:client:gone");
        }
        redis.mark(NAME);
        mine.unlock();
        assertThat(redis.server.command("ZCARD", LIST)).isEqualTo(150L);
        try (CommandMonitor monitor = redis.server.monitor()) {
            mine.lock();
            monitor.sync();
            assertThat(monitor.commands())
                    .as("a hundred, and then the rest")
                    .hasSize(2)
                    .allMatch(command -> command.size() == ACQUIRE_SIZE);
        }
        assertNobodyIsLeftInTheList();
        mine.unlock();
    }

    @Test
    void nobodyOvertakesThoseWhoStandBehindManyWhoAreGone() throws Exception {
        redis.holdElsewhere(NAME);
        FutureTask<Long> waiting = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1)))));
        redis.awaitWaiters(NAME, 1);
        DistributedLock late = lockOf(redis.factory());
        for (int i = 0; i < 250; i++) {
            redis.server.command("ZADD", LIST, String.valueOf(i), i + " gone 2000 1 interlock:client:gone");
        }
        redis.server.command("DEL", Fixture.key(NAME));
        assertThat(late.tryLock()).isFalse();
        get(waiting);
        assertThat(late.tryLock(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        late.unlock();
        assertNobodyIsLeftInTheList();
    }

    @Test
    void whoeverTakesALockPastManyWhoAreGoneLeavesNoEntryToWhichItWouldBeGranted() throws Exception {
        redis.holdElsewhere(NAME);
        FutureTask<Long> waiting = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofSeconds(1)))));
        redis.awaitWaiters(NAME, 1);
        for (int i = 0; i < 150; i++) {
            redis.server.command("ZADD", LIST, String.valueOf(i), i + " gone 2000 1 interlock:client:gone");
        }
        redis.server.command("DEL", Fixture.key(NAME));
        get(waiting);
        assertThat(redis.isTaken(NAME)).isFalse();
        assertNobodyIsLeftInTheList();
    }

    @Test
    void whoeverWasDroppedWhileItDidNotListenGetsItsPlaceBack() throws Exception {
        redis.holdElsewhere(NAME);
        FutureTask<Long> first = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofSeconds(1)))));
        redis.awaitWaiters(NAME, 1);
        FutureTask<Long> second = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1)))));
        redis.awaitWaiters(NAME, 2);
        Object oldest = ((List<?>) redis.server.command("ZRANGE", LIST, "0", "0")).get(0);
        redis.server.command("ZREM", LIST, String.valueOf(oldest));
        await().atMost(Fixture.PATIENCE)
                .until(() -> ((List<?>) redis.server.command("ZRANGE", LIST, "0", "0")).get(0), oldest::equals);
        redis.server.command("DEL", Fixture.key(NAME));
        assertThat(get(first)).isLessThan(get(second));
    }

    @Test
    void whoeverNoMessageReachesHasNoPlaceAndAsksByItself() throws Exception {
        redis.holdElsewhere(NAME);
        DistributedLockFactory factory = experienced(config -> config.waitCeiling(Duration.ofHours(1)));
        redis.server.command("ACL", "SETUSER", "default", "-pubsub");
        try (CommandMonitor monitor = redis.server.monitor()) {
            FutureTask<Long> waiting = locking(lockOf(factory));
            await().atMost(Fixture.PATIENCE)
                    .until(() -> arguments(monitor.commands(), ACQUIRE_SIZE, 6).size() > 4);
            assertThat(redis.server.command("EXISTS", LIST)).isEqualTo(0L);
            redis.server.command("DEL", Fixture.key(NAME));
            get(waiting);
        }
        assertNobodyIsLeftInTheList();
    }

    @Test
    void aCorruptedFenceStopsNoRelease() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        mine.lock();
        // It does not ask by itself while the fence is no number.
        FutureTask<Long> waiting = locking(lockOf(experienced(config -> config.waitCeiling(Duration.ofHours(1)))));
        redis.awaitWaiters(NAME, 1);
        String fence = Fixture.key(NAME) + ":fence";
        assertThat(redis.server.command("EXISTS", fence)).isEqualTo(1L);
        redis.server.command("DEL", fence);
        redis.server.command("LPUSH", fence, "no number");
        mine.unlock();
        assertThat(redis.isTaken(NAME)).isFalse();
        redis.server.command("DEL", fence);
        redis.server.command("CLIENT", "KILL", "TYPE", "pubsub");
        get(waiting);
    }

    @Test
    void aServerThatForgetsItsScriptsOrStartsAgainKeepsTheOrder() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        mine.lock();
        FutureTask<Long> waiting = locking(lockOf(experienced()));
        redis.awaitWaiters(NAME, 1);
        redis.server.command("SCRIPT", "FLUSH");
        redis.server.restartWithData();
        redis.awaitWaiters(NAME, 1);
        mine.unlock();
        get(waiting);
        assertNobodyIsLeftInTheList();
    }

    @Test
    void withoutFencingTheFirstIsGrantedTheLockTooAndThereIsNoCounter() throws Exception {
        UnaryOperator<LockConfig.Builder> plain = config -> config.option("fencing", "false");
        DistributedLock mine = lockOf(redis.factory(plain));
        mine.lock();
        FutureTask<Long> waiting = locking(lockOf(redis.factory(plain)));
        redis.awaitWaiters(NAME, 1);
        mine.unlock();
        assertThat(get(waiting)).isEqualTo(-1);
        assertThat(redis.server.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void whoeverDoesNotRenewHasTheWholeLease() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        mine.lock();
        DistributedLock fixed = experienced().getLock(NAME, WHOLE);
        FutureTask<Duration> waiting = Fixture.start(() -> {
            fixed.lock();
            Duration remaining = fixed.lease().orElseThrow().remaining();
            fixed.unlock();
            return remaining;
        });
        redis.awaitWaiters(NAME, 1);
        mine.unlock();
        assertThat(get(waiting)).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    @Tag("deep")
    void aServerWithoutRoomForAGrantFreesTheLockAllTheSame() throws Exception {
        DistributedLock mine = lockOf(redis.factory());
        mine.lock();
        FutureTask<Long> waiting = locking(lockOf(redis.factory(config -> config.waitCeiling(Duration.ofSeconds(15)))));
        redis.awaitWaiters(NAME, 1);
        redis.server.command("CONFIG", "SET", "maxmemory", "1");
        mine.unlock();
        assertThat(redis.isTaken(NAME)).isFalse();
        assertThat(waiting.isDone()).isFalse();
        redis.server.command("CONFIG", "SET", "maxmemory", "0");
        get(waiting);
    }

    @Test
    void theListEndsByItselfWithoutAnybody() throws Exception {
        redis.holdElsewhere(NAME);
        locking(lockOf(experienced()));
        redis.awaitWaiters(NAME, 1);
        assertThat((Long) redis.server.command("PTTL", Fixture.key(NAME) + ":waiting"))
                .isBetween(40_000L, 80_000L);
    }

    @Test
    void theListLivesUntilThoseWhoWaitAskAgainHoweverRarelyTheyDo() throws Exception {
        Duration ceiling = Duration.ofMinutes(1);
        redis.holdElsewhere(NAME);
        locking(lockOf(experienced(config -> config.waitCeiling(ceiling))));
        redis.awaitWaiters(NAME, 1);
        assertThat((Long) redis.server.command("PTTL", LIST))
                .as("extended only once half of it is over, and asked again after five ceilings at the latest")
                .isGreaterThan(ceiling.multipliedBy(10).toMillis());
    }

    @Test
    void clientsThatAreWokenInDifferentWaysExcludeEachOtherAndAllGetTheirTurns() throws Exception {
        int rounds = 40;
        int[] counter = {0};
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (String wakeup : List.of("queue", "pubsub", "poll", "queue")) {
            DistributedLock lock =
                    redis.factory(config -> config.option("wakeup", wakeup)).getLock(NAME, WHOLE);
            threads.add(Fixture.start(() -> {
                for (int i = 0; i < rounds; i++) {
                    lock.lock();
                    int seen = counter[0];
                    Thread.yield();
                    counter[0] = seen + 1;
                    lock.unlock();
                }
                return null;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            get(thread);
        }
        assertThat(counter[0]).isEqualTo(4 * rounds);
        assertNobodyIsLeftInTheList();
    }

    @Test
    void clientsThatQueueDoNotKeepOneThatListensOut() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        List<FutureTask<Object>> crowd = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            DistributedLock lock = lockOf(redis.factory());
            crowd.add(Fixture.start(() -> {
                while (!enough.get()) {
                    Fixture.pass(lock);
                }
                return null;
            }));
        }
        try {
            DistributedLock other = lockOf(redis.factory(config -> config.option("wakeup", "pubsub")));
            for (int i = 0; i < 5; i++) {
                get(locking(other));
            }
        } finally {
            enough.set(true);
        }
        for (FutureTask<Object> thread : crowd) {
            get(thread);
        }
    }

    @Test
    void aReleaseByOneWhoTellsAllGrantsTheLockToTheFirstInTheList() throws Exception {
        for (String wakeup : List.of("pubsub", "poll")) {
            DistributedLock mine = lockOf(redis.factory(config -> config.option("wakeup", wakeup)));
            mine.lock();
            FutureTask<Long> waiting =
                    locking(lockOf(redis.factory(config -> config.waitCeiling(Duration.ofHours(1)))));
            redis.awaitWaiters(NAME, 1);
            mine.unlock();
            get(waiting);
        }
    }
}
