// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.locks;

import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.tools.backends.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Locks as text for a terminal. */
public final class LockTexts {
    private LockTexts() {}

    /** A table of locks. */
    public static String table(List<LockOverview.Found> found) {
        if (found.isEmpty()) {
            return "no lock is held\n";
        }
        List<List<String>> rows = new ArrayList<>();
        for (LockOverview.Found each : found) {
            InspectedLock lock = each.lock();
            rows.add(List.of(
                    printable(lock.name()),
                    each.strategy(),
                    who(lock.holder()) + votes(lock),
                    left(lock),
                    waiting(lock)));
        }
        return TextTable.figures(List.of("Lock", "Strategy", "Held by", "Lease left", "Waiting"), rows);
    }

    /** All that is known of a lock. */
    public static String details(LockOverview.Found found) {
        InspectedLock lock = found.lock();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("strategy", found.strategy()));
        LockParty holder = lock.holder();
        rows.add(List.of("held by", who(holder)));
        lock.votes()
                .ifPresent(votes -> rows.add(List.of(
                        "  votes",
                        votes.held() + " of " + votes.servers() + (votes.decided() ? "" : ", no majority")
                                + (votes.answered() < votes.servers()
                                        ? "; " + votes.answered() + " have answered"
                                        : ""))));
        if (holder.factory().isPresent()) {
            rows.add(List.of("  claim", holder.claim()));
        }
        lock.holds().ifPresent(holds -> rows.add(List.of("  holds", Long.toString(holds))));
        holder.since().ifPresent(since -> rows.add(List.of("  since about", since.toString())));
        holder.card().ifPresent(card -> describe(card, holder, rows));
        if (holder.factory().isPresent() && holder.card().isEmpty()) {
            rows.add(List.of(
                    "  process", "not known: its factory has left no card yet, or has card=false (docs/operating.md)"));
        }
        rows.add(List.of("lease left", left(lock)));
        lock.lastFence().ifPresent(fence -> rows.add(List.of("fencing token", "at most " + fence)));
        rows.add(List.of("waiting", waiting(lock)));
        int place = 1;
        for (LockParty waiter : lock.waiters()) {
            String since = waiter.since().map(it -> ", since " + it).orElse("");
            rows.add(List.of("  " + place++ + ".", who(waiter) + since));
        }
        if (!lock.note().isEmpty()) {
            rows.add(List.of("note", lock.note()));
        }
        return TextTable.texts(List.of("lock", printable(lock.name())), rows);
    }

    /** Locks of one name in full; or that nobody holds it if there are none. */
    public static String details(String name, List<LockOverview.Found> found) {
        return found.isEmpty()
                ? "nobody holds lock \"" + printable(name) + "\"\n"
                : found.stream().map(LockTexts::details).collect(Collectors.joining());
    }

    private static String votes(InspectedLock lock) {
        return lock.votes()
                .map(votes ->
                        ", " + votes.held() + " of " + votes.servers() + (votes.decided() ? "" : " (no majority)"))
                .orElse("");
    }

    private static String waiting(InspectedLock lock) {
        return lock.waiting().isPresent() ? Long.toString(lock.waiting().getAsLong()) : "not known";
    }

    private static void describe(FactoryCard card, LockParty holder, List<List<String>> rows) {
        if (!card.client().isEmpty()) {
            rows.add(List.of("  client name", card.client()));
        }
        rows.add(List.of("  factory since", card.started().toString()));
        if (holder.thread().isEmpty()) {
            rows.add(List.of("  thread", "not in Redis: see a thread dump of pid " + card.pid()));
        }
    }

    /** Returns circles of waits, with an explanation. */
    public static String circles(List<List<Deadlocks.Wait>> circles) {
        if (circles.isEmpty()) {
            return "no factories wait for each other\n";
        }
        StringBuilder text = new StringBuilder();
        for (List<Deadlocks.Wait> circle : circles) {
            text.append("a deadlock, if these factories wait with the threads that hold the locks:\n");
            for (Deadlocks.Wait wait : circle) {
                text.append("  ")
                        .append(who(wait.waiter()))
                        .append(" waits for \"")
                        .append(printable(wait.lock()))
                        .append("\", which ")
                        .append(who(wait.holder()))
                        .append(" holds\n");
            }
        }
        return text.toString();
    }

    /**
     * A party in a few words: the process if its factory has said which, the digest of the factory, and a client of
     * another library.
     */
    public static String who(LockParty party) {
        List<String> words = new ArrayList<>();
        party.card().ifPresent(card -> words.add("pid " + card.pid() + " on " + card.host()));
        party.factory().ifPresent(factory -> words.add("factory " + factory));
        party.client().ifPresent(client -> words.add("client " + client));
        party.thread().ifPresent(thread -> words.add("thread " + thread));
        return words.isEmpty() ? "not known" : String.join(", ", words);
    }

    private static String left(InspectedLock lock) {
        return lock.remaining().map(LockTexts::seconds).orElse("does not end by itself");
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }

    /** Replaces control characters, which names may contain and a terminal would obey. */
    public static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }
}
