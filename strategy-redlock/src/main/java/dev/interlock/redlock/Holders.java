// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whom the servers have named as the holder of a lock, at one moment.
 *
 * @param size how many servers there are
 * @param majority how many are enough
 * @param alike how many named the holder that most named
 * @param said how many named a holder, or said that there is none
 * @param failed how many will not say
 */
record Holders(int size, int majority, int alike, int said, int failed) {
    static Holders count(Poll poll, int majority) {
        Map<Object, Integer> named = new HashMap<>();
        int said = 0;
        int failed = 0;
        for (int i = 0; i < poll.size(); i++) {
            Answer answer = poll.answer(i);
            if (answer instanceof Answer.Said it) {
                said++;
                ((Optional<?>) it.value()).ifPresent(token -> named.merge(token, 1, Integer::sum));
            } else if (answer != null) {
                failed++;
            }
        }
        int alike = named.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return new Holders(poll.size(), majority, alike, said, failed);
    }

    /** Whether no further answer can change what these come to. */
    boolean areDecided() {
        int open = size - said - failed;
        return agree() || open == 0 || (areEnough() && alike + open < majority);
    }

    /** Whether a majority named the same holder. */
    boolean agree() {
        return alike >= majority;
    }

    /** Whether a majority has answered. */
    boolean areEnough() {
        return said >= majority;
    }
}
