// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LockWire;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.waiting.WaitingScripts;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The scripts of this strategy. The components differ with the kind of server and with the format of the lock; the
 * constants are the same for all.
 *
 * @param acquire takes a lock, or enters its queue
 * @param release frees locks, or hands them over
 * @param await makes a holder wait for a condition
 * @param lookWaiter tells the state of a waiter of a condition
 * @param leave ends a wait for a condition
 * @param adopt gives the signal of a waiter to the claim by which it holds the lock
 * @param signal wakes waiters of a condition
 * @param freeUnwaited frees a lock if its list of waiters is empty, for formats without a mark
 * @param publish the command that sends to a channel
 */
record LockScripts(
        LuaScript acquire,
        LuaScript release,
        LuaScript await,
        LuaScript lookWaiter,
        LuaScript leave,
        LuaScript adopt,
        LuaScript signal,
        LuaScript freeUnwaited,
        String publish) {
    /** Takes a lock for which nobody waits, with tokens that are drawn by time. */
    static final LuaScript TAKE =
            LuaScript.of(source("word.lua") + WaitingScripts.source(WaitingScripts.FENCE) + source("setnxpx-take.lua"));

    /** Takes several locks for which nobody waits, all or none, with tokens that are drawn by time. */
    static final LuaScript TOGETHER =
            LuaScript.of(source("word.lua") + WaitingScripts.source(WaitingScripts.FENCE) + source("together.lua"));

    /** Frees a lock for which nobody waits, and may look for a command that does the same. */
    static final LuaScript FREE = LuaScript.load(LockScripts.class, "free.lua");

    /** Extends leases. */
    static final LuaScript RENEW = LuaScript.load(LockScripts.class, "word.lua", "setnxpx-renew.lua");

    /** Tells who holds a lock and who waits for it. */
    static final LuaScript LOOK = LuaScript.load(LockScripts.class, "setnxpx-look.lua");

    private static final LuaScript FREE_UNWAITED = LuaScript.load(LockScripts.class, "free-unwaited.lua");

    private static final String MARKED_WORD = "word.lua";

    /** Defines the word of plain keys, which have no mark: the script appends an empty text. */
    private static final String PLAIN_WORD = "plain-word.lua";

    private static final LockScripts MARKED = with(MARKED_WORD, false, "");

    private static final LockScripts MARKED_SHARDED = with(MARKED_WORD, true, "");

    private static final LockScripts PLAIN = with(PLAIN_WORD, false, "");

    private static final LockScripts PLAIN_SHARDED = with(PLAIN_WORD, true, "");

    private static LockScripts with(String word, boolean sharded, String announcement) {
        String queueing = WaitingScripts.source(sharded ? WaitingScripts.SHARDED_CHANNELS : WaitingScripts.CHANNELS)
                + source(word)
                + WaitingScripts.source(WaitingScripts.FENCE, WaitingScripts.QUEUE)
                + source("waiting.lua");
        String freeing =
                source("freeing.lua") + (announcement.isEmpty() ? "" : announcement + source("announced-freeing.lua"));
        String releasing = queueing + freeing + source("releasing.lua");
        String conditions = queueing + source("conditions.lua");
        return new LockScripts(
                LuaScript.of(queueing + source("setnxpx-acquire.lua")),
                LuaScript.of(releasing + source("setnxpx-release.lua")),
                LuaScript.of(releasing + source("await.lua")),
                LuaScript.of(conditions + source("look-waiter.lua")),
                LuaScript.of(conditions + source("setnxpx-leave.lua")),
                LuaScript.of(releasing + source("adopt.lua")),
                LuaScript.of(conditions + source("signal.lua")),
                announcement.isEmpty()
                        ? FREE_UNWAITED
                        : LuaScript.of(announcement + source("free-unwaited-announced.lua")),
                sharded ? "SPUBLISH" : "PUBLISH");
    }

    /** Returns the source of the function that announces on a channel that a lock is free. */
    private static String announcement(String channel) {
        String parts = Stream.of(channel.split(Pattern.quote(LockWire.KEY), -1))
                .map(LuaScript::quote)
                .collect(Collectors.joining(", "));
        return "local ANNOUNCE = {" + parts + "}\n" + source("announce.lua");
    }

    private static String source(String... resources) {
        return LuaScript.load(LockScripts.class, resources).source();
    }

    /**
     * Returns the scripts for a format and a kind of server.
     *
     * @param wire the format of the lock
     * @param sharded whether channels belong to servers as keys do
     */
    static LockScripts of(LockWire wire, boolean sharded) {
        if (!wire.announce().isEmpty()) {
            return with(PLAIN_WORD, sharded, announcement(wire.announce()));
        }
        if (wire.isPlain()) {
            return sharded ? PLAIN_SHARDED : PLAIN;
        }
        return sharded ? MARKED_SHARDED : MARKED;
    }
}
