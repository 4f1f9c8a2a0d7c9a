// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.ReadWriteProtocol.SideClaim;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ChannelState;
import dev.interlock.redis.waiting.Channels;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one client that wait for a side of a read/write lock, and the channels on which it learns of their
 * turn. A message names claims by their numbers and only wakes: a claim that is woken asks the server. Safe to use from
 * any thread.
 */
final class SideTurns {
    private final Channels channels;
    private final ReadWriteTerms terms;

    /** The waiters, by the numbers of their claims, which are no secret. */
    private final Map<Long, Turn> turns = new ConcurrentHashMap<>();

    /** The callbacks that wake waiters, by the keys of their sides. */
    private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();

    /** A claim that waits. */
    private static final class Turn {
        private final String key;

        /** The time at which the server first queued it, by the server's clock in µs; zero if it has not. */
        private volatile long since;

        /** Whether a message came before there was a watch. */
        private volatile boolean called;

        Turn(String key) {
            this.key = key;
        }
    }

    SideTurns(Environment env, RedisNode node, LockKeys keys, ReadWriteTerms terms) {
        this.terms = terms;
        this.channels = new Channels(env, node, keys, this::wakeAll, (listening, text) -> call(text));
    }

    /** The channel for the waiters of a lock. */
    String channel(LockSide side) {
        return channels.channel(side.lockName());
    }

    /** The entry of a claim in the list of waiters, the same each time; see queue.lua. */
    String place(SideClaim asked) {
        Claim claim = asked.claim();
        return claim.number() + " " + claim.token() + " "
                + terms.handOffLease(claim.lease()).toMillis() + " 1 " + channel(asked.side());
    }

    /**
     * Returns whether a claim may enter the list, that is, whether messages reach this client. Notes the claim, since
     * its turn may come before the answer.
     */
    boolean enter(SideClaim asked) {
        Claim claim = asked.claim();
        ChannelState listening = claim.isWaiting() ? channels.find(asked.side().lockName()) : null;
        if (listening == null || !listening.isBegun()) {
            return false;
        }
        turns.computeIfAbsent(claim.number(), number -> new Turn(claim.name()));
        return true;
    }

    /** Returns since when a claim has its place, by the server's clock in µs; zero if it has none. */
    long since(SideClaim asked) {
        Turn turn = turns.get(asked.claim().number());
        return turn == null ? 0 : turn.since;
    }

    /**
     * Notes the refusal of a claim that was to be entered.
     *
     * @param since when it was, by the server's clock in µs; zero if it was not, because no message of this server
     *     would reach us
     */
    void refused(SideClaim asked, long since) {
        Turn turn = turns.get(asked.claim().number());
        if (turn != null && since != 0) {
            turn.since = since;
        }
        ChannelState listening = channels.find(asked.side().lockName());
        if (listening != null) {
            listening.reachable(since != 0);
        }
    }

    void leave(Claim claim) {
        turns.remove(claim.number());
    }

    Watch watch(LockSide side, Runnable onTurn) {
        String key = side.key();
        watchers.put(key, onTurn);
        ChannelState listening = channels.enter(side.lockName());
        // A claim that asked before it could get a place has to ask again, and so does one that was called before this
        // watch.
        if (listening.isBegun() && turns.values().stream().noneMatch(turn -> turn.key.equals(key) && !turn.called)) {
            onTurn.run();
        }
        AtomicBoolean closed = new AtomicBoolean();
        return new Watch() {
            @Override
            public boolean isListening() {
                return listening.isReachable();
            }

            @Override
            public void close() {
                watchers.remove(key, onTurn);
                if (!closed.getAndSet(true)) {
                    channels.leave(side.lockName());
                }
            }
        };
    }

    /** Makes the waiters of one lock, or of all, ask again. */
    private void wakeAll(String lockName) {
        watchers.forEach((key, watcher) -> {
            if (lockName.isEmpty() || LockSide.lockName(key).equals(lockName)) {
                watcher.run();
            }
        });
    }

    private void call(String numbers) {
        for (String number : numbers.split(" ", -1)) {
            Turn turn = turn(number);
            if (turn != null) {
                turn.called = true;
                Runnable watcher = watchers.get(turn.key);
                if (watcher != null) {
                    watcher.run();
                }
            }
        }
    }

    private @Nullable Turn turn(String number) {
        try {
            return turns.get(Long.parseLong(number));
        } catch (NumberFormatException e) {
            // A message from another program.
            return null;
        }
    }
}
