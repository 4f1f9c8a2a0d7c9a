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
                    who(lock.holder()),
                    left(lock),
                    Long.toString(lock.waiting())));
        }
        return TextTable.figures(List.of("Lock", "Strategy", "Held by", "Lease left", "Waiting"), rows);
    }

    /** All that is known of a lock. */
    public static String details(LockOverview.Found found) {
        InspectedLock lock = found.lock();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("strategy", found.strategy()));
        rows.add(List.of("held by", who(lock.holder())));
        rows.add(List.of("  claim", lock.holder().claim()));
        lock.holder().since().ifPresent(since -> rows.add(List.of("  since about", since.toString())));
        lock.holder()
                .card()
                .ifPresentOrElse(
                        card -> describe(card, rows),
                        () -> rows.add(List.of(
                                "  process",
                                "not known: its factory has left no card yet, or has card=false (docs/operating.md)")));
        rows.add(List.of("lease left", left(lock)));
        lock.lastFence().ifPresent(fence -> rows.add(List.of("fencing token", "at most " + fence)));
        rows.add(List.of("waiting", Long.toString(lock.waiting())));
        int place = 1;
        for (LockParty waiter : lock.waiters()) {
            String since = waiter.since().map(it -> ", since " + it).orElse("");
            rows.add(List.of("  " + place++ + ".", who(waiter) + since));
        }
        return TextTable.texts(List.of("lock", printable(lock.name())), rows);
    }

    /** Keys of other strategies that say that a lock is taken; or that nobody holds it if there are none. */
    public static String traces(String name, List<OtherLocks.Trace> traces) {
        if (traces.isEmpty()) {
            return "nobody holds lock \"" + printable(name) + "\"\n";
        }
        StringBuilder text = new StringBuilder();
        for (OtherLocks.Trace trace : traces) {
            text.append("lock \"" + printable(name) + "\" is taken with strategy " + trace.strategy() + ": key \""
                    + printable(trace.key()) + "\", "
                    + trace.remaining()
                            .map(left -> "lease left " + seconds(left))
                            .orElse("which does not end by itself")
                    + " (" + trace.limits() + ")\n");
        }
        return text.toString();
    }

    /** Which strategies are not in a list, in a line for whoever reads it. */
    public static String notListed(List<String> listed) {
        return "Locks of " + String.join(", ", listed) + " are looked at. Those of "
                + String.join(", ", OtherLocks.STRATEGIES)
                + " cannot be listed: \"show NAME\" says whether one is taken.";
    }

    private static void describe(FactoryCard card, List<List<String>> rows) {
        if (!card.client().isEmpty()) {
            rows.add(List.of("  client name", card.client()));
        }
        rows.add(List.of("  factory since", card.started().toString()));
        rows.add(List.of("  thread", "not in Redis: see a thread dump of pid " + card.pid()));
    }

    /** Circles of waits, and what they mean. */
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

    /** A party in a few words: the process if its factory has said which, and the digest of the factory. */
    public static String who(LockParty party) {
        return party.card()
                        .map(card -> "pid " + card.pid() + " on " + card.host() + ", ")
                        .orElse("")
                + "factory " + party.factory();
    }

    private static String left(InspectedLock lock) {
        return lock.remaining().map(LockTexts::seconds).orElse("does not end by itself");
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }

    /** Names may hold anything, and a terminal obeys control characters. */
    public static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }
}
