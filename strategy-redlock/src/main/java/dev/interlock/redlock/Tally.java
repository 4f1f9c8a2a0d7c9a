// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LossCause;
import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.joint.Majorities;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The answers to one question at one moment, counted for each list of nodes that needs a majority. Each process counts
 * once, however many endpoints lead to it. A process that has a successor does not count.
 */
final class Tally {
    private static final long YES = 1;
    private static final long GONE = 0;

    private final Count[] counts;

    private Tally(Count[] counts) {
        this.counts = counts;
    }

    /** Counts grants of a lock. A server answers one if it grants the lock, and nil if the lock is taken. */
    static Tally ofGrants(Poll poll, Majorities majorities) {
        return count(poll, majorities, said -> Votes.isGrant(said) ? YES : -1);
    }

    /** Counts confirmations of a fencing token. */
    static Tally ofConfirmations(Poll poll, Majorities majorities) {
        return count(poll, majorities, said -> Long.valueOf(YES).equals(said.value()) ? YES : -1);
    }

    /**
     * Counts the answers for one lease of several.
     *
     * @param index where the answer for this lease is in the list of them
     */
    static Tally ofLeases(Poll poll, Majorities majorities, int index) {
        return count(poll, majorities, said -> leaseState(said, index));
    }

    private static long leaseState(Answer.Said said, int index) {
        return (Long) Objects.requireNonNull(((List<?>) said.value()).get(index));
    }

    /** Returns whether a server has nothing for one lease of several, or has not answered yet. */
    static boolean mayBeGone(Poll poll, int node, int index) {
        Answer answer = poll.counted(node);
        return answer == null || (answer instanceof Answer.Said said && leaseState(said, index) == GONE);
    }

    /** Counts the servers that name the most frequent holder; {@code gone} counts those that name none. */
    static Tally ofHolders(Poll poll, Majorities majorities) {
        Object named = poll.mostFrequent(said -> ((Optional<?>) said.value()).map(token -> (Object) token));
        return count(poll, majorities, said -> {
            Optional<?> holder = (Optional<?>) said.value();
            return holder.isEmpty() ? GONE : holder.get().equals(named) ? YES : -1;
        });
    }

    private static Tally count(Poll poll, Majorities majorities, ToLongFunction<Answer.Said> meaning) {
        Count[] counts = new Count[majorities.lists()];
        for (int list = 0; list < counts.length; list++) {
            int yes = 0;
            int gone = 0;
            int taken = 0;
            int failed = 0;
            for (int i = 0; i < majorities.size(list); i++) {
                Answer answer = poll.counted(majorities.node(list, i));
                if (answer instanceof Answer.Said said) {
                    long state = meaning.applyAsLong(said);
                    if (state == YES) {
                        yes++;
                    } else if (state == GONE) {
                        gone++;
                    } else {
                        taken++;
                    }
                } else if (answer != null) {
                    failed++;
                }
            }
            counts[list] = new Count(majorities.size(list), yes, gone, taken, failed);
        }
        return new Tally(counts);
    }

    private boolean all(Predicate<Count> condition) {
        for (Count count : counts) {
            if (!condition.test(count)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a majority of each list said yes. */
    boolean isCarried() {
        return all(Count::isCarried);
    }

    /** The list that counts until a change has ended: as long as it holds a lease, nobody else can get the lock. */
    private Count oldList() {
        return counts[0];
    }

    /**
     * Returns whether a majority of the old list holds a lease. While the list changes, a majority of the new one may
     * be missing yet: the lease is then not confirmed, but not lost either.
     */
    boolean isHeld() {
        return oldList().isCarried();
    }

    /** Returns whether no majority can hold the lease any more, since too many servers have no key or another token. */
    boolean isLost() {
        return oldList().isLost();
    }

    /** Returns whether a majority has answered. */
    boolean isAnswered() {
        return all(Count::isAnswered);
    }

    /** Returns whether no further answer can change whether a majority says yes, and whether a majority answers. */
    boolean isDecided() {
        return isCarried() || (!all(Count::canBeCarried) && (isAnswered() || !all(Count::canBeAnswered)));
    }

    /** Returns whether no further answer can change the result for a lease: kept, lost, or neither. */
    boolean isDecidedForLease() {
        return isCarried()
                || isLost()
                || all(count -> count.open() == 0)
                || (!all(Count::canBeCarried) && !oldList().canBeLost());
    }

    /** Returns the cause of the loss of a lease. */
    LossCause cause() {
        return oldList().taken > oldList().gone ? LossCause.TAKEN : LossCause.GONE;
    }

    /**
     * The answers of the nodes in one list.
     *
     * @param size how many nodes there are
     * @param yes how many granted the lock, or hold the lease
     * @param gone how many have no key
     * @param taken how many have another token
     * @param failed how many failed to answer
     */
    private record Count(int size, int yes, int gone, int taken, int failed) {
        int majority() {
            return Majorities.of(size);
        }

        int open() {
            return size - yes - gone - taken - failed;
        }

        boolean isCarried() {
            return yes >= majority();
        }

        boolean canBeCarried() {
            return yes + open() >= majority();
        }

        boolean isLost() {
            return gone + taken > size - majority();
        }

        boolean canBeLost() {
            return gone + taken + open() > size - majority();
        }

        boolean isAnswered() {
            return yes + gone + taken >= majority();
        }

        boolean canBeAnswered() {
            return size - failed >= majority();
        }
    }
}
