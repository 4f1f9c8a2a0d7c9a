// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Transactions on a server whose keys others change between the look at them and EXEC. */
class TransactionsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final ShiftedEnvironment env = new ShiftedEnvironment();
    private final MeddledServer server = new MeddledServer();
    private final Failures failures = new Failures(env, "a server");
    private final Transactions transactions =
            new Transactions(failures, new Lines(failures, server, () -> {}), error -> {});

    private List<@Nullable String> run(List<String> keys, List<String> expected) {
        List<List<RedisCommand>> writes = keys.stream()
                .map(key -> List.of(RedisCommand.of("SET", key, "new")))
                .toList();
        return transactions.run(
                new Transactions.Plan(keys, expected, writes), Wire.Use.EXCLUSIVE, false, new Deadline(env, TIMEOUT));
    }

    @Test
    void aKeyOfOthersThatNeverRestsKeepsNoOtherKeyFromBeingWritten() {
        server.data.putAll(Map.of("a", "mine", "hot", "0", "b", "mine"));
        server.meddling = round -> server.set("hot", Integer.toString(round));

        assertThat(run(List.of("a", "hot", "b"), List.of("mine", "mine", "mine")))
                .containsExactly("mine", "0", "mine");

        assertThat(server.data).containsEntry("a", "new").containsEntry("b", "new");
        assertThat(server.rounds).isEqualTo(2);
    }

    @Test
    void aKeyThatChangesAfterTheLookIsLookedAtAgain() {
        server.data.putAll(Map.of("a", "mine", "b", "mine"));
        server.meddling = round -> {
            if (round == 1) {
                server.set("b", "theirs");
            }
        };

        assertThat(run(List.of("a", "b"), List.of("mine", "mine"))).containsExactly("mine", "theirs");

        assertThat(server.data).containsEntry("a", "new").containsEntry("b", "theirs");
    }

    @Test
    void whatNeverRestsIsGivenUpAtTheTimeOutAndWasNotWritten() {
        server.data.put("a", "mine");
        server.meddling = round -> {
            server.set("a", "mine");
            env.putForward(TIMEOUT.toNanos() / 4);
        };

        assertThatThrownBy(() -> run(List.of("a"), List.of("mine")))
                .isInstanceOfSatisfying(
                        LockBackendException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
                .hasMessageContaining("changed");
        assertThat(server.data).containsEntry("a", "mine");
    }

    @Test
    void allRoundsShareOneTimeOut() {
        server.data.put("a", "mine");
        server.meddling = round -> {
            env.putForward(TIMEOUT.toNanos() / 4);
            if (round == 1) {
                throw new NotSentException(new IOException("the connection broke"));
            }
            if (round == 2) {
                server.set("a", "mine");
            }
        };

        assertThat(run(List.of("a"), List.of("mine"))).containsExactly("mine");

        assertThat(server.data).containsEntry("a", "new");
        assertThat(server.rounds).isEqualTo(3);
        assertThat(server.patience).hasSize(3 + 5);
        for (int i = 0; i < server.patience.size(); i++) {
            // The opened connection, the look and, but for the first round, the transaction.
            int quarters = List.of(4, 4, 3, 3, 2, 2, 2, 1).get(i);
            assertThat(server.patience.get(i)).as("request " + i).isLessThanOrEqualTo(TIMEOUT.toNanos() * quarters / 4);
        }
    }

    /** A server with one connection. Something else is done between the look at its keys and the transaction. */
    private static final class MeddledServer implements Wire, Wire.Line {
        final Map<String, String> data = new HashMap<>();
        private final Set<String> watched = new HashSet<>();
        private boolean changed;
        Meddling meddling = round -> {};
        int rounds;

        /** The time that is left for each request, and for each connection. */
        final List<Long> patience = new ArrayList<>();

        interface Meddling {
            void afterLook(int round) throws NotSentException;
        }

        void set(String key, String value) {
            data.put(key, value);
            changed |= watched.contains(key);
        }

        @Override
        public List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
                throws NotSentException {
            patience.add(deadline.nanosLeft());
            List<@Nullable Object> replies = new ArrayList<>();
            boolean looks = commands.get(0).name().equals("WATCH");
            boolean queues = commands.get(0).name().equals("MULTI");
            for (RedisCommand command : commands) {
                replies.add(carryOut(command, queues));
            }
            if (looks) {
                assertThat(++rounds).as("rounds").isLessThan(10);
                meddling.afterLook(rounds);
            }
            return replies;
        }

        private @Nullable Object carryOut(RedisCommand command, boolean queues) {
            List<String> words = command.arguments();
            switch (command.name()) {
                case "WATCH" -> watched.addAll(words);
                case "GET" -> {
                    return data.get(words.get(0));
                }
                case "SET" -> {
                    if (queues && !changed) {
                        data.put(words.get(0), words.get(1));
                    }
                }
                case "EXEC", "UNWATCH" -> {
                    Object reply = changed ? null : List.of();
                    watched.clear();
                    changed = false;
                    return reply;
                }
                default -> {
                    return "OK";
                }
            }
            return "OK";
        }

        @Override
        public long silentNanos() {
            return 0;
        }

        @Override
        public void release() {}

        @Override
        public void retire() {}

        @Override
        public <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline) {
            return call.get();
        }

        @Override
        public Line open(Use use, Deadline deadline) {
            patience.add(deadline.nanosLeft());
            return this;
        }

        @Override
        public RedisLink openLink(Deadline deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
