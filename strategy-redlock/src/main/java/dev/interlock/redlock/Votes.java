// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redlock.Request.Answer;
import dev.interlock.redlock.joint.Majorities;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads fencing tokens and holders from the answers to a request for a lock. */
final class Votes {
    private Votes() {}

    static boolean isGrant(Answer.Said said) {
        return element(said, 0) == 1;
    }

    /** The first fencing token that a server offers with its grant. */
    static long fence(Answer.Said grant) {
        return element(grant, 1);
    }

    private static long element(Answer.Said said, int index) {
        return (Long) Objects.requireNonNull(((List<?>) said.value()).get(index));
    }

    /** The value that a majority of servers offers for a token. */
    static OptionalLong agreedFence(Poll poll, Majorities majorities) {
        Map<Long, Set<Integer>> offers = new HashMap<>();
        for (int i = 0; i < poll.size(); i++) {
            if (poll.counted(i) instanceof Answer.Said said && isGrant(said)) {
                Set<Integer> servers = offers.computeIfAbsent(fence(said), it -> new HashSet<>());
                servers.add(i);
                if (majorities.areReached(servers::contains)) {
                    return OptionalLong.of(fence(said));
                }
            }
        }
        return OptionalLong.empty();
    }

    /** The largest value that a server offers for a token. */
    static long largestFence(Poll poll) {
        long largest = 0;
        for (int i = 0; i < poll.size(); i++) {
            if (poll.counted(i) instanceof Answer.Said said && isGrant(said)) {
                largest = Math.max(largest, fence(said));
            }
        }
        return largest;
    }

    /**
     * Returns whether one token holds the lock on a majority of the servers.
     *
     * @return when its lease ends at the latest, if it has an end; empty if nobody is seen to hold a majority
     */
    static Optional<Held> holder(Poll poll, Majorities majorities) {
        Map<Object, Set<Integer>> servers = new HashMap<>();
        Map<Object, Long> ends = new HashMap<>();
        for (int i = 0; i < poll.size(); i++) {
            if (poll.counted(i) instanceof Answer.Said said && !isGrant(said)) {
                Object holder = Objects.requireNonNull(((List<?>) said.value()).get(2));
                long end = ends.merge(holder, element(said, 1), Math::max);
                Set<Integer> named = servers.computeIfAbsent(holder, it -> new HashSet<>());
                named.add(i);
                if (majorities.areReached(named::contains)) {
                    return Optional.of(new Held(end));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * A holder that has a majority.
     *
     * @param millis until when; negative if that is not known
     */
    record Held(long millis) {
        Optional<Duration> free() {
            return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        }
    }
}
