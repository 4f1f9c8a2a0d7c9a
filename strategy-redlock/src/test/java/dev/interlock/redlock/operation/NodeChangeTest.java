// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.redlock.Fixture;
import dev.interlock.redlock.RedlockOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The list of nodes changes while clients use them. Of four servers, the first three are the nodes in the beginning.
 */
@Execution(ExecutionMode.CONCURRENT) // Each test has servers of its own.
class NodeChangeTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(3);
    private static final Set<String> NONE_GONE = Set.of();

    private final Fixture redis = new Fixture(4);

    @AfterEach
    void stop() {
        redis.close();
    }

    private String address(int server) {
        return redis.proxies.get(server).uri().replace("redis://", "");
    }

    private UnaryOperator<LockConfig.Builder> naming(int... servers) {
        return config -> Fixture.trusting(config)
                .endpoints(IntStream.of(servers)
                        .mapToObj(server -> redis.proxies.get(server).uri())
                        .collect(Collectors.joining(",")))
                .option("cold-start", "wait")
                .option("max-lease", MAX_LEASE.toString())
                .lockDefaults(LockOptions.builder().lease(MAX_LEASE).build());
    }

    /** Makes a client of the first three servers, and waits until these are a cluster that votes. */
    private DistributedLockFactory founder() {
        DistributedLockFactory factory = redis.factory(naming(0, 1, 2));
        acquire(factory.getLock("warm-up")).close();
        awaitAgreed(0, 1, 2);
        return factory;
    }

    private void awaitAgreed(int... servers) {
        await("all know that the list is agreed")
                .atMost(Fixture.PATIENCE)
                .until(() -> IntStream.of(servers).allMatch(i -> "1".equals(recorded(i, "founded"))));
    }

    private static LockHandle acquire(DistributedLock lock) {
        return await().atMost(Fixture.PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(lock::acquire, Objects::nonNull);
    }

    /** Acquires and releases a lock until exactly these servers are asked. */
    private void awaitTaken(DistributedLock lock, Integer... servers) {
        await("the list counts").atMost(Fixture.PATIENCE).until(() -> {
            LockHandle lease = acquire(lock);
            boolean all = redis.takenOn(lock.name()).equals(List.of(servers));
            lease.close();
            return all;
        });
    }

    private @Nullable Object recorded(int server, String field) {
        return redis.servers.get(server).command("HGET", "interlock:birth", field);
    }

    private static UnaryOperator<LockConfig.Builder> even(UnaryOperator<LockConfig.Builder> nodes) {
        return config -> nodes.apply(config).option("even-nodes", "allow");
    }

    private LockConfig config(UnaryOperator<LockConfig.Builder> tweak) {
        return tweak.apply(LockConfig.builder().endpoints("redis://none.invalid"))
                .build();
    }

    private void replaceThird(Consumer<String> progress) throws InterruptedException {
        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.replace(address(2), address(3), NONE_GONE, progress);
        }
    }

    @Test
    void aClientWithANewListGoesByTheOneThatTheNodesKnow() {
        founder();
        DistributedLock lock = redis.factory(naming(0, 1, 3)).getLock("work");

        awaitTaken(lock, 0, 1, 2);
        assertThat(recorded(3, "index")).as("the new server is not enrolled").isNull();
    }

    @Test
    void aListOfWhichAServerBelongsToAnotherOneGetsNoVotes() {
        founder();
        redis.servers.get(2).command("HSET", "interlock:birth", "founded", "0");
        DistributedLock lock = redis.factory(even(naming(2, 3))).getLock("work");

        assertThatThrownBy(lock::tryLock).isInstanceOf(LockBackendException.class);
        assertThat(recorded(3, "founded")).isNotEqualTo("1");
        assertThat(redis.takenOn("work")).isEmpty();
    }

    @Test
    @Tag("deep")
    void aNodeIsReplacedUnderLoadWithoutTwoHoldersAndWithoutARefusedMajority() throws Exception {
        DistributedLockFactory first = founder();
        DistributedLockFactory second = redis.factory(naming(0, 1, 2));
        LockHandle longHeld = first.getLock("held").acquire();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        List<FutureTask<Void>> clients = new ArrayList<>();
        for (DistributedLockFactory factory : List.of(first, second)) {
            clients.add(Fixture.start(() -> {
                while (!over.get()) {
                    try (LockHandle lease = factory.getLock("work").acquire()) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        turns.incrementAndGet();
                        inside.decrementAndGet();
                        lease.ensureValid(Duration.ZERO);
                    }
                }
                return null;
            }));
        }

        replaceThird(news -> {});
        int before = turns.get();
        await("the clients go on").atMost(Fixture.PATIENCE).until(() -> turns.get() > before + 10);
        over.set(true);
        for (FutureTask<Void> client : clients) {
            client.get();
        }

        // The key on the server that has left is not renewed any more.
        redis.awaitTakenOn("held", 0, 1, 3);
        assertThat(longHeld.isValid()).isTrue();
        awaitTaken(second.getLock("after"), 0, 1, 3);
    }

    @Test
    @Tag("deep")
    void aCommandThatEndsAtAnyStepIsGoneOnWith() throws Exception {
        DistributedLockFactory client = founder();
        for (String step : List.of("telling", "waiting for leases", "waiting until", "going on")) {
            try {
                replaceThird(news -> {
                    if (news.startsWith(step)) {
                        throw new IllegalStateException("the operator gives up at: " + news);
                    }
                });
            } catch (IllegalStateException expected) {
                assertThat(expected).hasMessageContaining("gives up");
            }
            client.getLock("work").acquire().close();
        }

        replaceThird(news -> {});

        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            RedlockOperations.Status status = operations.status();
            assertThat(status.changing()).isFalse();
            assertThat(status.nodes())
                    .extracting(RedlockOperations.Node::address)
                    .containsExactly(address(0), address(1), address(3));
        }
    }

    @Test
    @Tag("deep")
    void whoHasSleptThroughAChangeOrComesWithTheOldListLearnsTheNewOne() throws Exception {
        DistributedLockFactory asleep = founder();
        replaceThird(news -> {});

        for (DistributedLockFactory stale : List.of(asleep, redis.factory(naming(0, 1, 2)))) {
            awaitTaken(stale.getLock("work"), 0, 1, 3);
        }
    }

    @Test
    @Tag("deep")
    void aNodeOfTheOldListThatIsNotToldHoldsTheChangeUpUnlessItIsGone() throws Exception {
        founder();
        redis.proxies.get(2).refuse();
        redis.proxies.get(2).cutConnections();
        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            assertThatThrownBy(() -> operations.replace(address(2), address(3), NONE_GONE, news -> {}))
                    .isInstanceOf(LockBackendException.class)
                    .hasMessageContaining(address(2));

            operations.replace(address(2), address(3), Set.of(address(2)), news -> {});

            assertThat(operations.status().nodes())
                    .extracting(RedlockOperations.Node::address)
                    .containsExactly(address(0), address(1), address(3));
        }
        assertThat(recorded(2, "config")).as("it was told nothing").asString().startsWith("0 ");
    }

    @Test
    @Tag("deep")
    void aChangeIsGoneOnWithWhileANodeThatStaysIsGone() throws Exception {
        founder();
        assertThatThrownBy(() -> replaceThird(news -> {
                    if (news.startsWith("waiting for leases")) {
                        throw new IllegalStateException("the operator gives up");
                    }
                }))
                .hasMessageContaining("gives up");
        redis.proxies.get(1).refuse();
        redis.proxies.get(1).cutConnections();

        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.replace(address(2), address(3), Set.of(address(1)), news -> {});

            assertThat(operations.status().nodes())
                    .extracting(RedlockOperations.Node::address)
                    .containsExactly(address(0), address(1), address(3));
        }
    }

    @Test
    @Tag("deep")
    void aNodeIsAddedAndAnotherOneRemoved() throws Exception {
        founder();
        try (RedlockOperations operations = RedlockOperations.connect(config(even(naming(0, 1, 2))))) {
            operations.add(address(3), NONE_GONE, news -> {});
            operations.remove(address(0), NONE_GONE, news -> {});

            assertThat(operations.status().nodes())
                    .extracting(RedlockOperations.Node::address)
                    .containsExactly(address(1), address(2), address(3));
        }
    }

    @Test
    @Tag("deep")
    void anotherChangeIsRefusedUntilTheFirstHasEnded() throws Exception {
        founder();
        assertThatThrownBy(() -> replaceThird(news -> {
                    if (news.startsWith("waiting for leases")) {
                        throw new IllegalStateException("the operator gives up");
                    }
                }))
                .hasMessageContaining("gives up");

        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            assertThatThrownBy(() -> operations.replace(address(1), address(3), NONE_GONE, news -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another change is under way");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    @Tag("deep")
    void aNewListThatWasFoundedBeforeTheCommandIsTakenOverByClientsOfTheOldOne(int leaving) throws Exception {
        DistributedLock old = founder().getLock("work");
        int[] staying = IntStream.range(0, 3).filter(i -> i != leaving).toArray();
        for (int i : staying) {
            redis.servers.get(i).command("FLUSHALL");
        }
        acquire(redis.factory(even(naming(staying))).getLock("ahead")).close();
        awaitAgreed(staying);
        assertThatThrownBy(old::tryLock).as("a list that is no later").isInstanceOf(LockBackendException.class);

        try (RedlockOperations operations = RedlockOperations.connect(config(even(naming(0, 1, 2))))) {
            assertThatThrownBy(() -> operations.remove(address(leaving), NONE_GONE, news -> {
                        if (news.startsWith("waiting until these")) {
                            throw new IllegalStateException("the operator gives up");
                        }
                    }))
                    .hasMessageContaining("gives up");
        }
        try (RedlockOperations operations = RedlockOperations.connect(config(even(naming(0, 1, 2))))) {
            operations.remove(address(leaving), NONE_GONE, news -> {});
        }

        awaitTaken(old, staying[0], staying[1]);
        awaitTaken(redis.factory(naming(0, 1, 2)).getLock("late"), staying[0], staying[1]);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    @Tag("deep")
    void aNewListThatWasFoundedBeforeANodeWasReplacedCountsForClientsOfBoth(int leaving) throws Exception {
        DistributedLock old = founder().getLock("work");
        int[] next = IntStream.range(0, 4).filter(i -> i != leaving).toArray();
        redis.servers.get(next[0]).command("FLUSHALL");
        redis.servers.get(next[1]).command("FLUSHALL");
        DistributedLock ahead = redis.factory(naming(next)).getLock("ahead");
        acquire(ahead).close();
        awaitAgreed(next);

        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.replace(address(leaving), address(3), NONE_GONE, news -> {});
        }

        awaitTaken(old, next[0], next[1], 3);
        awaitTaken(ahead, next[0], next[1], 3);
    }

    @Test
    @Tag("deep")
    void aCommandWhoseLockIsLostDoesNotEndTheChangeButAnotherOneDoes() throws Exception {
        founder();
        assertThatThrownBy(() -> replaceThird(news -> {
                    // The change waits now for longer than the lease of its lock lasts.
                    if (news.startsWith("waiting for leases")) {
                        redis.servers.forEach(
                                server -> server.command("DEL", Fixture.key("interlock-redlock-operations")));
                    }
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(recorded(0, "config")).asString().startsWith("1 ");

        replaceThird(news -> {});
        assertThat(recorded(0, "config")).asString().startsWith("2 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    @Tag("deep")
    void aChangeToAListThatWasFoundedBeforeEndsThoughItsLockIsLost(int leaving) throws Exception {
        founder();
        int[] next = IntStream.range(0, 4).filter(i -> i != leaving).toArray();
        redis.servers.get(next[0]).command("FLUSHALL");
        redis.servers.get(next[1]).command("FLUSHALL");
        acquire(redis.factory(naming(next)).getLock("ahead")).close();
        awaitAgreed(next);

        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.replace(address(leaving), address(3), NONE_GONE, news -> {
                if (news.startsWith("waiting for leases")) {
                    redis.servers.forEach(server -> server.command("DEL", Fixture.key("interlock-redlock-operations")));
                }
            });
        }

        assertThat(recorded(next[0], "config")).asString().startsWith("2 ");
    }

    @Test
    @Tag("deep")
    void aServerOfAnotherListIsNotRemoved() throws Exception {
        founder();
        acquire(redis.factory(naming(3)).getLock("other")).close();
        Object other = recorded(3, "config");
        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.remove(address(3), NONE_GONE, news -> {});
        }

        assertThat(recorded(3, "config")).isEqualTo(other);
        assertThat(recorded(0, "config")).asString().startsWith("0 ");
    }

    @Test
    @Tag("deep")
    void aCommandThatIsGivenAgainGoesOnWhileTheNodesDoNotVoteForItsLock() throws Exception {
        founder();
        redis.servers.get(0).command("FLUSHALL");
        redis.servers.get(1).command("FLUSHALL");
        acquire(redis.factory(even(naming(0, 1))).getLock("ahead")).close();
        awaitAgreed(0, 1);
        // For so long the nodes do not vote, which have new indexes.
        UnaryOperator<LockConfig.Builder> waitsLong =
                config -> even(naming(0, 1, 2)).apply(config).option("max-lease", "600s");
        try (RedlockOperations operations = RedlockOperations.connect(config(waitsLong))) {
            assertThatThrownBy(() -> operations.remove(address(2), NONE_GONE, giveUpAt("waiting for leases")))
                    .hasMessageContaining("gives up");
        }

        try (RedlockOperations operations = RedlockOperations.connect(config(waitsLong))) {
            assertThatThrownBy(() -> operations.remove(address(2), NONE_GONE, giveUpAt("going on with ")))
                    .hasMessageContaining("gives up at: going on with ");
        }
    }

    @Test
    void aNodeThatIsOnTheListAlreadyIsNotAddedAndAnEmptyServerIsNotRemoved() throws Exception {
        founder();
        List<String> progress = new ArrayList<>();
        try (RedlockOperations operations = RedlockOperations.connect(config(naming(0, 1, 2)))) {
            operations.add(address(2), NONE_GONE, progress::add);
            operations.remove(address(3), NONE_GONE, progress::add);
            redis.proxies.get(3).refuse();
            operations.remove(address(3), NONE_GONE, progress::add);
        }

        assertThat(progress.stream().filter(news -> news.endsWith(" already"))).hasSize(3);
        assertThat(recorded(0, "config")).asString().startsWith("0 2 ");
        assertThat(recorded(3, "config")).isNull();
    }

    @Test
    @Tag("deep")
    void aWrongListThatANodeHasTakenOverAfterItHadLostItsDataIsNotChangedTo() throws Exception {
        founder();
        redis.servers.get(1).command("FLUSHALL");
        acquire(redis.factory(even(naming(1, 3))).getLock("wrong")).close();
        awaitAgreed(1, 3);
        List<Object> before = lists();
        try (RedlockOperations operations = RedlockOperations.connect(config(even(naming(0, 1, 2))))) {
            // Whether its work is done depends on the node that answers first.
            catchThrowable(() -> operations.add(address(3), NONE_GONE, news -> {}));
            assertThat(lists()).isEqualTo(before);

            catchThrowable(() -> operations.replace(address(0), address(3), Set.of(address(0)), news -> {}));
            assertThat(lists()).isEqualTo(before);

            catchThrowable(() -> operations.replace(address(0), address(3), NONE_GONE, news -> {}));
            assertThat(lists()).isEqualTo(before);
        }
    }

    private List<Object> lists() {
        return IntStream.range(0, 4)
                .mapToObj(server -> Objects.requireNonNull(recorded(server, "config")))
                .toList();
    }

    private static Consumer<String> giveUpAt(String step) {
        return news -> {
            if (news.startsWith(step)) {
                throw new IllegalStateException("the operator gives up at: " + news);
            }
        };
    }
}
