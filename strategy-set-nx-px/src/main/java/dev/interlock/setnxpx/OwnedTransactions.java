// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.setnxpx.Settings.Wakeup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The operations of a lock as transactions, for servers that do not permit scripts. Safe to use from any thread. */
final class OwnedTransactions {
    /** How often one attempt reads a lock whose holder changes meanwhile. */
    private static final int MOST_LOOKS = 5;

    private final RedisNode node;
    private final LockKeys keys;
    private final Settings settings;
    private final String publish;

    OwnedTransactions(RedisNode node, LockKeys keys, Settings settings) {
        this.node = node;
        this.keys = keys;
        this.settings = settings;
        this.publish = LockScripts.of(settings.wire(), node.isSharded()).publish();
    }

    /**
     * Asks for a lock. A claim that will wait marks the word of the holder; if the word is gone by then, the lock may
     * be free, and is asked for again. No single command deletes a key only if it has a given value, so no command can
     * be sent after {@code SET} to undo it.
     */
    Attempt ask(Claim claim) {
        String key = keys.lock(claim.name());
        String word = LockWord.of(claim);
        for (int look = 0; look < MOST_LOOKS; look++) {
            if (node.call(ScriptedAttempts.setIfAbsent(keys, claim), claim.timeout()) != null) {
                return granted(claim);
            }
            String holder = (String) node.call(RedisCommand.of("GET", key), claim.timeout());
            if (isWord(word, holder)) {
                return granted(claim);
            }
            if (holder != null && (!isMarked(claim, holder) || mark(claim, key, holder))) {
                return new Attempt.Refused(Optional.empty());
            }
        }
        // No word has the mark of this claim, so no release would wake it: it asks again at once.
        return new Attempt.Refused(Optional.of(Duration.ZERO));
    }

    /** Returns whether a claim that was refused has to mark the word of the holder. */
    private boolean isMarked(Claim claim, String holder) {
        return claim.isWaiting() && !settings.wire().isPlain() && LockWord.isUnmarked(holder);
    }

    private static Attempt granted(Claim claim) {
        return new Attempt.Granted(SetNxPxProtocol.validity(claim.lease()), OptionalLong.empty());
    }

    private boolean mark(Claim claim, String key, String holder) {
        RedisCommand mark = RedisCommand.of("APPEND", key, LockWord.MARK);
        return holder.equals(node.transactIfEqual(key, holder, List.of(mark), claim.timeout()));
    }

    /** Renews a lease if the claim holds the lock; otherwise returns the cause of the loss. */
    Optional<LossCause> extend(Claim claim) {
        List<RedisCommand> extend = List.of(
                RedisCommand.of("PEXPIRE", keys.lock(claim.name()), SetNxPxProtocol.millis(claim.lease()), "GT"));
        return loss(claim, ifMine(claim, extend, extend));
    }

    /** Releases a lock, and sends a message if somebody waits. */
    Release release(Claim claim) {
        RedisCommand delete = RedisCommand.of("DEL", keys.lock(claim.name()));
        List<RedisCommand> deleteAndTell = settings.wakeup() == Wakeup.POLL
                ? List.of(delete)
                : List.of(delete, RedisCommand.of(publish, keys.channel(claim.name()), ""));
        String found = ifMine(claim, List.of(delete), deleteAndTell);
        return loss(claim, found)
                .<Release>map(Release.Lost::new)
                .orElseGet(() -> new Release.Freed(!LockWord.of(claim).equals(found)));
    }

    /**
     * Executes some commands if the claim holds the lock under a plain word, others if the word is marked, and returns
     * the value that was found.
     */
    private @Nullable String ifMine(Claim claim, List<RedisCommand> ifPlain, List<RedisCommand> ifMarked) {
        String key = keys.lock(claim.name());
        String word = LockWord.of(claim);
        String found = node.transactIfEqual(key, word, ifPlain, claim.timeout());
        return LockWord.marked(word).equals(found)
                ? node.transactIfEqual(key, LockWord.marked(word), ifMarked, claim.timeout())
                : found;
    }

    private static Optional<LossCause> loss(Claim claim, @Nullable String found) {
        if (isWord(LockWord.of(claim), found)) {
            return Optional.empty();
        }
        return Optional.of(found == null ? LossCause.GONE : LossCause.TAKEN);
    }

    private static boolean isWord(String word, @Nullable String value) {
        return word.equals(value) || LockWord.marked(word).equals(value);
    }
}
