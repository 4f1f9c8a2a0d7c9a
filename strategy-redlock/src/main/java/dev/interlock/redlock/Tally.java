// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LossCause;
import dev.interlock.redlock.Request.Answer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The answers to one question at one moment, counted. Each process counts once, however many endpoints lead to it, and one whose place
 * another process has taken does not count.
 *
 * @param size how many servers there are
 * @param majority how many are enough
 * @param yes how many granted or held what was asked for
 * @param gone how many had nothing there
 * @param taken how many had something else there
 * @param failed how many will not say
 */
record Tally(int size, int majority, int yes, int gone, int taken, int failed) {
    private static final long YES = 1;
    private static final long GONE = 0;

    /** Counts grants of a lock: one, or nil for one that is taken. */
    static Tally ofGrants(Poll poll, int majority) {
        return count(poll, majority, said -> Votes.isGrant(said) ? YES : -1);
    }

    /** Counts confirmations of a fencing token. */
    static Tally ofConfirmations(Poll poll, int majority) {
        return count(poll, majority, said -> Long.valueOf(YES).equals(said.value()) ? YES : -1);
    }

    /**
     * Counts the answers for one lease of several.
     *
     * @param index where the answer for this lease is in the list of them
     */
    static Tally ofLeases(Poll poll, int majority, int index) {
        return count(poll, majority, said -> (Long) Objects.requireNonNull(((List<?>) said.value()).get(index)));
    }

    /** Counts who names the holder that most name; {@code gone} are those who name nobody. */
    static Tally ofHolders(Poll poll, int majority) {
        Object named = poll.mostFrequent(said -> ((Optional<?>) said.value()).map(token -> (Object) token));
        return count(poll, majority, said -> {
            Optional<?> holder = (Optional<?>) said.value();
            return holder.isEmpty() ? GONE : holder.get().equals(named) ? YES : -1;
        });
    }

    private static Tally count(Poll poll, int majority, ToLongFunction<Answer.Said> meaning) {
        int yes = 0;
        int gone = 0;
        int taken = 0;
        int failed = 0;
        for (int i = 0; i < poll.size(); i++) {
            Answer answer = poll.counted(i);
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
        return new Tally(poll.size(), majority, yes, gone, taken, failed);
    }

    private int open() {
        return size - yes - gone - taken - failed;
    }

    /** Whether a majority said yes. */
    boolean isCarried() {
        return yes >= majority;
    }

    private boolean canBeCarried() {
        return yes + open() >= majority;
    }

    /** Whether no majority can say yes to what it has already, since too many have nothing or something else there. */
    boolean isLost() {
        return gone + taken > size - majority;
    }

    /** Whether a majority has answered. */
    boolean isAnswered() {
        return yes + gone + taken >= majority;
    }

    /** Whether no further answer can change whether a majority says yes, or whether it answers. */
    boolean isDecided() {
        return isCarried() || (!canBeCarried() && (isAnswered() || size - failed < majority));
    }

    /** Whether no further answer can change what is known of a lease: that it is kept, or lost, or neither. */
    boolean isDecidedForLease() {
        boolean canBeLost = gone + taken + open() > size - majority;
        return isCarried() || isLost() || open() == 0 || (!canBeCarried() && !canBeLost);
    }

    /** Why a lease is lost. */
    LossCause cause() {
        return taken > gone ? LossCause.TAKEN : LossCause.GONE;
    }
}
