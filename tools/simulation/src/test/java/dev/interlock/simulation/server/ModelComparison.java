// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.simulation.server.RandomCommands.Drawn;
import dev.interlock.testservers.RedisServerException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends a real server and a model the same commands at the same times, all of which follow from a seed. */
final class ModelComparison {
    /** 2039, which the clock of the real server does not reach, and whose µs still have quarters. */
    private static final long BEGIN_MICROS = 2_200_000_000_000_000L;

    private static final int REMEMBERED = 12;
    private static final Pattern FRACTION = Pattern.compile("-?\\d+\\.\\d+");

    private final long seed;
    private final TimedServer real;
    private final TimedServer realTransactions;
    private final RedisModel model;
    private ModelSession transactions;
    private final Answering answering;
    private final RandomCommands commands;
    private final Random clock;
    private final Deque<String> last = new ArrayDeque<>();
    private final Map<String, Integer> replies = new TreeMap<>();
    private long micros = BEGIN_MICROS;

    /** Makes the model reply: as it is, or wrongly, to see whether it shows. */
    interface Answering {
        /** The model as it is. */
        Answering RIGHT = RedisModel::call;

        @Nullable
        Object call(RedisModel model, long micros, String name, List<String> args);

        /** Replies over the connection for transactions. */
        default @Nullable Object transact(ModelSession session, long micros, String name, List<String> args) {
            return session.call(micros, name, args);
        }
    }

    /**
     * @param real a connection to the real server
     * @param realTransactions another one, for transactions
     */
    ModelComparison(long seed, TimedServer real, TimedServer realTransactions, RedisModel model, Answering answering)
            throws ReflectiveOperationException {
        this.seed = seed;
        this.real = real;
        this.realTransactions = realTransactions;
        this.model = model;
        this.transactions = model.session();
        this.answering = answering;
        this.commands = new RandomCommands(seed, RealScripts.all());
        this.clock = new Random(~seed);
    }

    /** Returns what the two first differ in, or null if they do not. */
    @Nullable
    String difference(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            if (i % 500 == 0) {
                real.clear();
                model.restart(new Keyspace());
                realTransactions.reset();
                transactions = model.session();
                commands.reset();
            }
            if (i % 1000 == 700 || i % 1000 == 800) {
                real.withoutMemory(i % 1000 == 700);
                model.withoutMemory(i % 1000 == 700);
            }
            long millis = micros / 1000;
            micros += step();
            if (micros / 1000 > millis) {
                real.lives(micros / 1000);
            }
            Drawn drawn = commands.next();
            String name = drawn.words().get(0);
            List<String> args = drawn.words().subList(1, drawn.words().size());
            Object expected = (drawn.ofTransactions() ? realTransactions : real).call(micros, drawn.words());
            Object replied = drawn.ofTransactions()
                    ? answering.transact(transactions, micros, name, args)
                    : answering.call(model, micros, name, args);
            note(drawn, expected);
            if (!isSame(ordered(drawn, expected), ordered(drawn, replied), model.flavour())) {
                return report(i, expected, replied);
            }
            Map<String, Long> lives = real.lives(micros / 1000);
            Map<String, Long> others = model.keys().lives(micros / 1000);
            if (!lives.equals(others)) {
                return report(i, lives, others);
            }
            replies.merge(drawn.label(), expected instanceof RedisServerException ? 0 : 1, Integer::sum);
        }
        return null;
    }

    /**
     * Sorts the fields that {@code births.enrol} returns: it copies some in the order of {@code pairs}, which Lua
     * leaves open, and Valkey has another Lua than Redis.
     */
    private @Nullable Object ordered(Drawn drawn, @Nullable Object reply) {
        if (model.flavour() != Flavour.VALKEY_9
                || !drawn.label().equals("births.enrol")
                || !(reply instanceof List<?> flat)
                || flat.size() % 2 != 0) {
            return reply;
        }
        Map<String, Object> fields = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(String.valueOf(flat.get(i)), flat.get(i + 1));
        }
        List<Object> sorted = new ArrayList<>();
        fields.forEach((name, value) -> sorted.addAll(List.of(name, value)));
        return sorted;
    }

    /** The commands that were not always refused. */
    Set<String> carriedOut() {
        Set<String> labels = new TreeSet<>(replies.keySet());
        labels.removeIf(label -> replies.get(label) == 0);
        return labels;
    }

    /** How far the clock moves between two commands: often not at all, and now and then beyond the ends of lives. */
    private long step() {
        return switch (clock.nextInt(100)) {
            case 0 -> clock.nextLong(100_000_000);
            case 1, 2, 3, 4, 5, 6, 7, 8, 9 -> clock.nextLong(5_000);
            default -> Math.max(0, clock.nextLong(-200, 400));
        };
    }

    private void note(Drawn drawn, @Nullable Object reply) {
        int skipped = drawn.words().get(0).equals("EVAL") ? 2 : 1;
        last.add(micros + " " + drawn.label() + " "
                + drawn.words().subList(skipped, drawn.words().size()) + " -> " + reply);
        if (last.size() > REMEMBERED) {
            last.remove();
        }
    }

    private String report(int i, @Nullable Object expected, @Nullable Object replied) {
        return String.format(
                "after command %d of seed %d the server has %s, the model %s; the last commands:%n%s",
                i, seed, expected, replied, String.join("\n", last));
    }

    /** Compares replies; of errors only what kind they are. */
    static boolean isSame(@Nullable Object real, @Nullable Object model, Flavour flavour) {
        if (real instanceof RedisServerException refused) {
            return model instanceof Answer.Failure failure
                    && failure.code().equals(new Answer.Failure(refused.getMessage()).code());
        }
        if (real instanceof List<?> all) {
            if (!(model instanceof List<?> others) || all.size() != others.size()) {
                return false;
            }
            for (int i = 0; i < all.size(); i++) {
                if (!isSame(all.get(i), others.get(i), flavour)) {
                    return false;
                }
            }
            return true;
        }
        if (real instanceof Long number && model instanceof Long other) {
            // What a script's number becomes that is too large for a reply depends on the processor.
            return number.equals(other) || (isLimit(number) && isLimit(other));
        }
        Object plain = Answer.plain(model);
        return Objects.equals(real, plain)
                || (flavour == Flavour.VALKEY_9
                        && real instanceof String text
                        && plain instanceof String other
                        && isSameOfShortest(text, other));
    }

    /**
     * Returns whether two texts differ in the last digits of numbers alone, with as many digits each, that are read as
     * the same doubles: Valkey writes either, if both are as near.
     */
    private static boolean isSameOfShortest(String text, String other) {
        String[] words = text.split(" ", -1);
        String[] others = other.split(" ", -1);
        if (text.length() != other.length() || words.length != others.length) {
            return false;
        }
        for (int i = 0; i < words.length; i++) {
            boolean same = words[i].equals(others[i])
                    || (FRACTION.matcher(words[i]).matches()
                            && FRACTION.matcher(others[i]).matches()
                            && Double.parseDouble(words[i]) == Double.parseDouble(others[i]));
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLimit(long number) {
        return number == Long.MAX_VALUE || number == Long.MIN_VALUE;
    }
}
