// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LossCause;
import java.util.List;

/**
 * The answers to a renewal or release at one moment, counted for one lease.
 *
 * @param size how many servers there are
 * @param majority how many are enough
 * @param held how many held the lock for the token that was asked about
 * @param gone how many did not hold it for anybody
 * @param taken how many held it for somebody else
 * @param failed how many will not say
 */
record AnswerCount(int size, int majority, int held, int gone, int taken, int failed) {
    /**
     * Counts the answers for one lease of several.
     *
     * @param index where the answer for this lease is in the list of them
     */
    static AnswerCount count(Poll poll, int majority, int index) {
        int held = 0;
        int gone = 0;
        int taken = 0;
        int failed = 0;
        for (int i = 0; i < poll.size(); i++) {
            Answer answer = poll.answer(i);
            if (answer instanceof Answer.Said said) {
                Object state = ((List<?>) said.value()).get(index);
                if (Long.valueOf(1).equals(state)) {
                    held++;
                } else if (Long.valueOf(0).equals(state)) {
                    gone++;
                } else {
                    taken++;
                }
            } else if (answer != null) {
                failed++;
            }
        }
        return new AnswerCount(poll.size(), majority, held, gone, taken, failed);
    }

    /** Whether no further answer can change what these come to. */
    boolean areDecided() {
        int open = size - held - gone - taken - failed;
        boolean canBeKept = held + open >= majority;
        boolean canBeLost = gone + taken + open > size - majority;
        return isKept() || isLost() || open == 0 || (!canBeKept && !canBeLost);
    }

    /** Whether a majority held the lock. */
    boolean isKept() {
        return held >= majority;
    }

    /** Whether no majority can have held the lock. */
    boolean isLost() {
        return gone + taken > size - majority;
    }

    /** Whether a majority has answered. */
    boolean areEnough() {
        return held + gone + taken >= majority;
    }

    /** Why the lock is not held. */
    LossCause cause() {
        return taken > gone ? LossCause.TAKEN : LossCause.GONE;
    }
}
