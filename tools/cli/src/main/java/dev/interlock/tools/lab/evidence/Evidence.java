// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import dev.interlock.conformance.history.Verdict.Outcome;
import dev.interlock.tools.lab.evidence.Moment.What;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The evidence from a cell of the fault lab. Times are in milliseconds; those that are moments count from the moment at
 * which the fault struck.
 *
 * @param leaseMillis the lease
 * @param twoHoldersMillis for how long, at the longest, two clients had leases that were valid by their own accounts,
 *     and neither had begun to give the lock back; rounded up, so that it is 0 only if there never were two holders
 * @param nobodyMillis for how long, at the longest, somebody asked for the lock and nobody held it, after the fault
 * @param unserved whether somebody asked to the end and was not granted it
 * @param staleWrites how many writes were accepted by the store that ignores tokens although they overwrote another
 *     client's
 * @param staleFencedWrites how many of these were also accepted by the store that checks tokens
 * @param refusedWrites how many writes the store that checks tokens refused
 * @param lateWrites how many writes were sent by a client after another one had been granted the lock, accepted or not
 * @param tokensTell whether tokens tell the right holder from the wrong ones: each client was granted a greater one
 *     than whoever had the lock before; overlapping holds are all that is wrong with the history, if anything is; and,
 *     unless a stale write has shown what a store makes of them, nobody but the holder at the time of the fault held
 *     the lock beside another one
 * @param goneMillis when the lock was in other hands for certain: when the next holder was granted it
 * @param toldMillis when the first holder was told of the loss, or found out
 * @param nextHolderMillis when another client was granted the lock; missing where none was
 * @param leftBehind keys that stayed in Redis when everybody had given the lock back
 * @param history the verdict of the kit's checker on the clients' histories: valid, violated or undecided
 * @param finding the explanation of the checker
 * @param timeline the events of the cell
 */
public record Evidence(
        long leaseMillis,
        long twoHoldersMillis,
        long nobodyMillis,
        boolean unserved,
        int staleWrites,
        int staleFencedWrites,
        int refusedWrites,
        int lateWrites,
        boolean tokensTell,
        @Nullable Long goneMillis,
        @Nullable Long toldMillis,
        @Nullable Long nextHolderMillis,
        List<String> leftBehind,
        String history,
        @Nullable String finding,
        List<Entry> timeline) {
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * A line of a timeline.
     *
     * @param millis when
     * @param who a client, or the lab
     * @param what what happened
     * @param token the fencing token that goes with it
     * @param writes the outcome of a write
     * @param detail more about it
     */
    public record Entry(
            double millis,
            String who,
            What what,
            @Nullable Long token,
            @Nullable StoreWrites writes,
            @Nullable String detail) {}

    /** A time span of one client. */
    private record Span(String who, long from, long to) {
        long overlap(Span other) {
            return who.equals(other.who) ? 0 : Math.min(to, other.to) - Math.max(from, other.from);
        }
    }

    /**
     * Computes the evidence.
     *
     * @param heard the events, in any order
     * @param end when the lab stopped looking; spans without an end last until then
     * @param onlyOverlaps whether the history, if it is violated, would be valid but for holds that overlap
     */
    public static Evidence of(
            Duration lease,
            List<Moment> heard,
            long end,
            dev.interlock.conformance.history.Verdict history,
            boolean onlyOverlaps,
            List<String> leftBehind) {
        List<Moment> moments = heard.stream()
                .filter(moment -> moment.what() != What.READY)
                .sorted(Comparator.comparingLong(Moment::nanos))
                .toList();
        long struck = moments.stream()
                .filter(moment -> moment.what() == What.STRUCK)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fault struck"))
                .nanos();
        List<Span> holds = spans(moments, What.GRANTED, Evidence::endsHold, end);
        List<Span> waits = spans(
                moments, What.ASKED, moment -> moment.what() == What.GRANTED || moment.what() == What.KILLED, end);
        @Nullable
        String first = holds.stream()
                .filter(hold -> hold.from() <= struck && hold.to() >= struck)
                .map(Span::who)
                .findFirst()
                .orElse(null);
        @Nullable
        Long next = holds.stream()
                .filter(hold -> hold.from() > struck && !hold.who().equals(first))
                .map(hold -> Long.valueOf(millis(hold.from() - struck)))
                .findFirst()
                .orElse(null);
        @Nullable
        Long told = moments.stream()
                .filter(moment -> moment.who().equals(first) && moment.nanos() >= struck)
                .takeWhile(moment -> moment.what() != What.RELEASED)
                .filter(moment -> isLoss(moment.what()))
                .map(moment -> Long.valueOf(millis(moment.nanos() - struck)))
                .findFirst()
                .orElse(null);
        int stale = count(moments, writes -> writes.unfenced() == GuardedStore.Write.STALE);
        return new Evidence(
                lease.toMillis(),
                startedMillis(longestOverlap(holds)),
                millis(longestWithoutHolder(waits, holds, struck)),
                isUnserved(moments),
                stale,
                count(moments, writes -> writes.fenced() == GuardedStore.Write.STALE),
                count(moments, writes -> writes.fenced() == GuardedStore.Write.REFUSED),
                lateWrites(moments),
                tokensAscend(moments)
                        && (stale > 0 || onlyOneOutstayed(holds, struck))
                        && (onlyOverlaps || history.outcome() != Outcome.VIOLATED),
                next != null && isTakenFrom(first, moments, struck, struck + next * 1_000_000) ? next : null,
                told,
                next,
                List.copyOf(leftBehind),
                history.outcome().name(),
                history.isValid() ? null : history.explanation(),
                moments.stream()
                        .map(moment -> new Entry(
                                Math.round((moment.nanos() - struck) / NANOS_PER_MILLI * 10) / 10.0,
                                moment.who(),
                                moment.what(),
                                moment.token(),
                                moment.writes(),
                                moment.detail()))
                        .toList());
    }

    /** Returns whether a holder had neither given the lock back nor died at a time. */
    private static boolean isTakenFrom(@Nullable String first, List<Moment> moments, long struck, long at) {
        return first != null
                && moments.stream()
                        .filter(moment ->
                                moment.who().equals(first) && moment.nanos() >= struck && moment.nanos() <= at)
                        .noneMatch(moment -> moment.what() == What.RELEASING || moment.what() == What.KILLED);
    }

    private static boolean endsHold(Moment moment) {
        // When a release is confirmed, the next holder may have it already.
        return isLoss(moment.what()) || moment.what() == What.RELEASING || moment.what() == What.KILLED;
    }

    private static boolean isLoss(What what) {
        return what == What.TOLD || what == What.LOOKED_LOST || what == What.NOT_RELEASED;
    }

    /** Returns the spans from each moment of a kind to the first moment of the same client that ends it. */
    private static List<Span> spans(List<Moment> moments, What begin, Predicate<Moment> ends, long end) {
        List<Span> spans = new ArrayList<>();
        Map<String, Long> begun = new HashMap<>();
        for (Moment moment : moments) {
            @Nullable Long from = begun.get(moment.who());
            if (from != null && ends.test(moment)) {
                // A lease that ran out ended then, and not when its holder noticed.
                long to = moment.endNanos() == null ? moment.nanos() : Math.min(moment.nanos(), moment.endNanos());
                spans.add(new Span(moment.who(), from, Math.max(from, to)));
                begun.remove(moment.who());
            }
            if (moment.what() == begin) {
                begun.put(moment.who(), moment.nanos());
            }
        }
        begun.forEach((who, from) -> spans.add(new Span(who, from, end)));
        spans.sort(Comparator.comparingLong(Span::from));
        return spans;
    }

    private static long longestOverlap(List<Span> holds) {
        return holds.stream()
                .flatMap(hold -> holds.stream().map(hold::overlap))
                .mapToLong(Long::longValue)
                .filter(overlap -> overlap > 0)
                .max()
                .orElse(0);
    }

    private static long longestWithoutHolder(List<Span> waits, List<Span> holds, long struck) {
        long longest = 0;
        for (Span wait : waits) {
            // Gaps begin where the wait begins, or where a hold ends, and end at the next hold.
            long begin = Math.max(wait.from(), struck);
            for (long from : Stream.concat(Stream.of(begin), holds.stream().map(Span::to))
                    .filter(at -> at >= begin && at <= wait.to())
                    .toList()) {
                boolean held = holds.stream().anyMatch(hold -> hold.from() <= from && hold.to() > from);
                long to = holds.stream()
                        .mapToLong(Span::from)
                        .filter(at -> at >= from)
                        .min()
                        .orElse(wait.to());
                longest = held ? longest : Math.max(longest, Math.min(to, wait.to()) - from);
            }
        }
        return longest;
    }

    private static boolean isUnserved(List<Moment> moments) {
        Map<String, What> last = new HashMap<>();
        for (Moment moment : moments) {
            if (moment.what() == What.ASKED || moment.what() == What.GRANTED || moment.what() == What.KILLED) {
                last.put(moment.who(), moment.what());
            }
        }
        return last.containsValue(What.ASKED);
    }

    private static int count(List<Moment> moments, Predicate<StoreWrites> which) {
        return (int) moments.stream()
                .map(Moment::writes)
                .filter(Objects::nonNull)
                .filter(which)
                .count();
    }

    /** Returns how many writes came from a client after another one had been granted the lock. */
    private static int lateWrites(List<Moment> moments) {
        int late = 0;
        @Nullable String last = null;
        for (Moment moment : moments) {
            if (moment.what() == What.GRANTED) {
                last = moment.who();
            } else if (moment.what() == What.WROTE && !moment.who().equals(last)) {
                late++;
            }
        }
        return late;
    }

    /** Returns whether each pair of simultaneous holders includes the holder at the time of the fault. */
    private static boolean onlyOneOutstayed(List<Span> holds, long struck) {
        List<Span> later = holds.stream().filter(hold -> hold.from() > struck).toList();
        return longestOverlap(later) == 0;
    }

    private static boolean tokensAscend(List<Moment> moments) {
        @Nullable Long last = null;
        for (Moment moment : moments) {
            if (moment.what() == What.GRANTED) {
                @Nullable Long token = moment.token();
                if (token == null || (last != null && token <= last)) {
                    return false;
                }
                last = token;
            }
        }
        return true;
    }

    /** Rounds up. */
    private static long startedMillis(long nanos) {
        return (long) Math.ceil(nanos / NANOS_PER_MILLI);
    }

    private static long millis(long nanos) {
        return Math.round(nanos / NANOS_PER_MILLI);
    }
}
