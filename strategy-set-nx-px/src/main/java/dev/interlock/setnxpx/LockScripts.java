// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LockWire;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.waiting.WaitingScripts;
import java.util.List;

/**
 * The scripts of this strategy that differ between servers of one kind and another, or between formats of the lock, and
 * those that do not.
 *
 * @param acquire takes a lock, or enters its queue
 * @param release frees locks, or hands them over
 * @param await has a holder wait for a condition
 * @param lookWaiter tells where one who waits for a condition stands
 * @param leave ends a wait for a condition
 * @param confirm ends a wait for a condition whose signal has arrived
 * @param signal wakes those who wait for a condition
 * @param publish the command that sends to a channel
 */
record LockScripts(
        LuaScript acquire,
        LuaScript release,
        LuaScript await,
        LuaScript lookWaiter,
        LuaScript leave,
        LuaScript confirm,
        LuaScript signal,
        String publish) {
    /** Takes a lock for which nobody waits, with tokens that are drawn by time. */
    static final LuaScript TAKE =
            LuaScript.of(source("word.lua") + WaitingScripts.source(WaitingScripts.FENCE) + source("take.lua"));

    /** Takes several locks for which nobody waits, all or none, with tokens that are drawn by time. */
    static final LuaScript TOGETHER =
            LuaScript.of(source("word.lua") + WaitingScripts.source(WaitingScripts.FENCE) + source("together.lua"));

    /** Frees a lock for which nobody waits, and may look for a command that does the same. */
    static final LuaScript FREE = LuaScript.load(LockScripts.class, "free.lua");

    /** Frees a lock for which nobody is in the list, where no mark tells whether somebody waits. */
    static final LuaScript FREE_UNWAITED = LuaScript.load(LockScripts.class, "free-unwaited.lua");

    /** Extends leases. */
    static final LuaScript RENEW = LuaScript.load(LockScripts.class, "word.lua", "renew.lua");

    /** Tells who holds a lock and who waits for it. */
    static final LuaScript LOOK = LuaScript.load(LockScripts.class, "look.lua");

    private static final String MARKED_WORD = "word.lua";

    /** Without a mark, all that a script appends to a word is an empty text. */
    private static final String PLAIN_WORD = "plain-word.lua";

    private static final LockScripts MARKED = with(MARKED_WORD, WaitingScripts.CHANNELS, "PUBLISH");

    private static final LockScripts MARKED_SHARDED = with(MARKED_WORD, WaitingScripts.SHARDED_CHANNELS, "SPUBLISH");

    private static final LockScripts PLAIN = with(PLAIN_WORD, WaitingScripts.CHANNELS, "PUBLISH");

    private static final LockScripts PLAIN_SHARDED = with(PLAIN_WORD, WaitingScripts.SHARDED_CHANNELS, "SPUBLISH");

    private static LockScripts with(String word, String channels, String publish) {
        return new LockScripts(
                with(word, channels, List.of("acquire.lua")),
                with(word, channels, List.of("releasing.lua", "release.lua")),
                with(word, channels, List.of("releasing.lua", "await.lua")),
                with(word, channels, List.of("conditions.lua", "look-waiter.lua")),
                with(word, channels, List.of("conditions.lua", "leave.lua")),
                with(word, channels, List.of("releasing.lua", "confirm.lua")),
                with(word, channels, List.of("conditions.lua", "signal.lua")),
                publish);
    }

    private static LuaScript with(String word, String channels, List<String> scripts) {
        return LuaScript.of(WaitingScripts.source(channels)
                + source(word)
                + WaitingScripts.source(WaitingScripts.FENCE, WaitingScripts.QUEUE)
                + source("waiting.lua")
                + source(scripts.toArray(String[]::new)));
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
        if (wire.isPlain()) {
            return sharded ? PLAIN_SHARDED : PLAIN;
        }
        return sharded ? MARKED_SHARDED : MARKED;
    }
}
