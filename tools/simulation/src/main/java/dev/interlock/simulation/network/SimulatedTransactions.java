// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.RedisCommand;
import dev.interlock.simulation.server.Answer;
import dev.interlock.simulation.time.VirtualMachine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of one client, each over a connection that serves nothing else meanwhile: WATCH, GET, MULTI, …,
 * EXEC.
 */
final class SimulatedTransactions {
    private static final RedisCommand MULTI = RedisCommand.of("MULTI");
    private static final RedisCommand EXEC = RedisCommand.of("EXEC");
    private static final RedisCommand UNWATCH = RedisCommand.of("UNWATCH");

    private final SimulatedNode node;
    private final VirtualMachine machine;
    private final Deque<Line> idle = new ArrayDeque<>();

    SimulatedTransactions(SimulatedNode node, VirtualMachine machine) {
        this.node = node;
        this.machine = machine;
    }

    /**
     * Carries out, in one transaction, the commands of each key that has its expected value, and returns all values.
     */
    List<@Nullable String> run(
            List<String> keys, List<String> expected, List<List<RedisCommand>> commands, Duration timeout) {
        long end = machine.nanoTime() + timeout.toNanos();
        List<@Nullable String> found = new ArrayList<>(Collections.nCopies(keys.size(), null));
        List<Integer> places = IntStream.range(0, keys.size()).boxed().toList();
        Duration patience = timeout;
        boolean again = false;
        while (true) {
            List<RedisCommand> look = look(places.stream().map(keys::get).toList());
            Line line = open(patience);
            List<@Nullable String> values = strings(line, look, look(line, look, patience));
            List<RedisCommand> transaction = new ArrayList<>(List.of(MULTI));
            List<Integer> equal = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                int place = places.get(i);
                found.set(place, values.get(i));
                if (expected.get(place).equals(values.get(i))) {
                    equal.add(place);
                    transaction.addAll(commands.get(place));
                }
            }
            if (equal.isEmpty()) {
                transaction = List.of(UNWATCH);
            } else {
                transaction.add(EXEC);
            }
            if (line.broken) {
                // Nothing of the transaction was sent.
                if (again) {
                    throw new LockBackendException(Reason.UNREACHABLE, "the connection broke before " + EXEC);
                }
                again = true;
                continue;
            }
            List<@Nullable Object> done =
                    equal.isEmpty() ? look(line, transaction, patience) : exchange(line, transaction, patience);
            rejectErrors(line, transaction, done);
            idle.push(line);
            if (equal.isEmpty() || done.get(done.size() - 1) != null) {
                return found;
            }
            long left = end - machine.nanoTime();
            if (left <= 0) {
                throw new LockBackendException(Reason.UNREACHABLE, "the keys have changed again and again");
            }
            places = equal;
            patience = Duration.ofNanos(left);
        }
    }

    private static List<RedisCommand> look(List<String> keys) {
        List<RedisCommand> look = new ArrayList<>();
        look.add(RedisCommand.of("WATCH", keys.toArray(String[]::new)));
        keys.forEach(key -> look.add(RedisCommand.of("GET", key)));
        return look;
    }

    private Line open(Duration timeout) {
        for (Line line = idle.poll(); line != null; line = idle.poll()) {
            if (!line.broken) {
                return line;
            }
        }
        return node.open(machine.nanoTime() + timeout.toNanos(), EXEC);
    }

    /** Sends what changes nothing. If that fails, it is certain that nothing of the transaction was carried out. */
    private List<@Nullable Object> look(Line line, List<RedisCommand> look, Duration timeout) {
        try {
            return exchange(line, look, timeout);
        } catch (LockBackendException e) {
            throw e.reason() == Reason.OUTCOME_UNKNOWN
                    ? new LockBackendException(Reason.UNREACHABLE, String.valueOf(e.getMessage()), e)
                    : e;
        }
    }

    private List<@Nullable Object> exchange(Line line, List<RedisCommand> commands, Duration timeout) {
        try {
            return node.exchange(line, commands, machine.nanoTime() + timeout.toNanos());
        } catch (LockBackendException e) {
            line.broken = true;
            throw e;
        }
    }

    /** Returns the values of keys; a value that is no string is of no use. */
    private static List<@Nullable String> strings(Line line, List<RedisCommand> look, List<@Nullable Object> looked) {
        List<@Nullable Object> known = new ArrayList<>(looked);
        known.replaceAll(reply ->
                reply instanceof Answer.Failure failure && failure.code().equals("WRONGTYPE") ? "" : reply);
        rejectErrors(line, look, known);
        List<@Nullable String> found = new ArrayList<>();
        known.subList(1, known.size()).forEach(value -> found.add((String) value));
        return found;
    }

    /** Throws for the first error, after giving up the connection, which may be left in the middle of a transaction. */
    private static void rejectErrors(Line line, List<RedisCommand> commands, List<@Nullable Object> replies) {
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) instanceof Answer.Failure failure) {
                line.broken = true;
                throw SimulatedNode.failed(commands.get(i), failure);
            }
        }
    }
}
