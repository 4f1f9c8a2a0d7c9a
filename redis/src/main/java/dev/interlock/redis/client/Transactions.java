// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.RedisCommand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Transactions on one server whose commands depend on what its keys hold. */
final class Transactions {
    private static final RedisCommand ASKING = RedisCommand.of("ASKING");
    private static final RedisCommand MULTI = RedisCommand.of("MULTI");
    private static final RedisCommand EXEC = RedisCommand.of("EXEC");
    private static final RedisCommand UNWATCH = RedisCommand.of("UNWATCH");

    private final Failures failures;
    private final Lines lines;
    private final Consumer<ServerError> onError;

    /** The keys of a transaction, their expected values, and the command for each key that has its value. */
    record Plan(List<String> keys, List<String> expected, List<List<RedisCommand>> commands) {}

    /** @param onError told of each error that ends a transaction */
    Transactions(Failures failures, Lines lines, Consumer<ServerError> onError) {
        this.failures = failures;
        this.lines = lines;
        this.onError = onError;
    }

    /**
     * Carries out a plan. Another client that changes a watched key in between makes the server carry out nothing. Then
     * the keys that had their values are looked at again, until the deadline; another value of a key is final, so that
     * a key which never rests cannot hold up the others.
     *
     * @param asking whether to speak to a node that is about to get the slot of the keys
     */
    List<@Nullable String> run(Plan plan, Wire.Use use, boolean asking, Deadline deadline) {
        List<@Nullable String> found = new ArrayList<>(Collections.nCopies(plan.keys.size(), null));
        List<Integer> places = IntStream.range(0, plan.keys.size()).boxed().toList();
        boolean again = false;
        while (true) {
            List<RedisCommand> look = look(plan, places);
            Wire.Line line = lines.open(use, deadline);
            try {
                List<@Nullable String> values = strings(line, look, look(line, look, asking, deadline));
                List<RedisCommand> transaction = new ArrayList<>();
                List<Integer> equal = new ArrayList<>();
                transaction.add(MULTI);
                for (int i = 0; i < values.size(); i++) {
                    int place = places.get(i);
                    found.set(place, values.get(i));
                    if (plan.expected.get(place).equals(values.get(i))) {
                        equal.add(place);
                        transaction.addAll(plan.commands.get(place));
                    }
                }
                if (equal.isEmpty()) {
                    look(line, List.of(UNWATCH), false, deadline);
                    line.release();
                    return found;
                }
                transaction.add(EXEC);
                if (asking) {
                    // ASKING holds until the transaction has ended.
                    transaction.add(0, ASKING);
                }
                List<@Nullable Object> done = line.exchange(transaction, List.of(), deadline);
                rejectErrors(line, transaction, done);
                line.release();
                if (done.get(done.size() - 1) != null) {
                    return found;
                }
                if (deadline.nanosLeft() <= 0) {
                    throw failures.changedTooOften(deadline);
                }
                places = equal;
            } catch (NotSentException e) {
                if (again) {
                    throw failures.notSent(EXEC, e);
                }
                again = true;
            }
        }
    }

    private static List<RedisCommand> look(Plan plan, List<Integer> places) {
        List<String> keys = places.stream().map(plan.keys::get).toList();
        List<RedisCommand> look = new ArrayList<>();
        look.add(RedisCommand.of("WATCH", keys.toArray(String[]::new)));
        keys.forEach(key -> look.add(RedisCommand.of("GET", key)));
        return look;
    }

    /** Sends what changes nothing. If that fails, it is certain that nothing of the transaction was carried out. */
    private List<@Nullable Object> look(Wire.Line line, List<RedisCommand> look, boolean asking, Deadline deadline)
            throws NotSentException {
        try {
            return asking ? exchangeAsking(line, look, deadline) : line.exchange(look, List.of(), deadline);
        } catch (LockBackendException e) {
            throw e.reason() == Reason.OUTCOME_UNKNOWN
                    ? new LockBackendException(Reason.UNREACHABLE, String.valueOf(e.getMessage()), e)
                    : e;
        }
    }

    /**
     * Sends ASKING before each command, for a slot that the node is importing, and returns the replies to the commands.
     */
    private List<@Nullable Object> exchangeAsking(Wire.Line line, List<RedisCommand> commands, Deadline deadline)
            throws NotSentException {
        List<RedisCommand> sent = new ArrayList<>(2 * commands.size());
        commands.forEach(command -> sent.addAll(List.of(ASKING, command)));
        List<@Nullable Object> replies = line.exchange(sent, List.of(), deadline);
        List<@Nullable Object> mine = new ArrayList<>(commands.size());
        for (int i = 1; i < replies.size(); i += 2) {
            mine.add(replies.get(i - 1) instanceof ServerError refused ? refused : replies.get(i));
        }
        return mine;
    }

    /** Returns the values of keys; a value that is no string is of no use. */
    private List<@Nullable String> strings(Wire.Line line, List<RedisCommand> look, List<@Nullable Object> looked) {
        for (int i = 1; i < looked.size(); i++) {
            if (looked.get(i) instanceof ServerError error && error.isWrongType()) {
                looked.set(i, "");
            }
        }
        rejectErrors(line, look, looked);
        List<@Nullable String> found = new ArrayList<>();
        looked.subList(1, looked.size()).forEach(value -> found.add((String) value));
        return found;
    }

    /** Throws for the first error, after giving up the connection, which may be left in the middle of a transaction. */
    private void rejectErrors(Wire.Line line, List<RedisCommand> commands, List<@Nullable Object> replies) {
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) instanceof ServerError error) {
                line.retire();
                onError.accept(error);
                throw failures.answered(commands.get(i), error);
            }
        }
    }
}
