// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.redis.LuaScript;
import dev.interlock.redis.waiting.WaitingScripts;

/**
 * The scripts of this strategy that differ between servers of one kind and another, and those that do not.
 *
 * @param acquire takes a lock, or enters those who wait for it
 * @param release frees locks, or hands them over
 * @param publish the command that sends to a channel
 */
record LockScripts(LuaScript acquire, LuaScript release, String publish) {
    /** Takes a lock for which nobody waits, with tokens that are drawn by time. */
    static final LuaScript TAKE =
            LuaScript.of(source("word.lua") + WaitingScripts.source(WaitingScripts.FENCE) + source("take.lua"));

    /** Frees a lock for which nobody waits, and may look for a command that does the same. */
    static final LuaScript FREE = LuaScript.load(LockScripts.class, "free.lua");

    /** Extends leases. */
    static final LuaScript RENEW = LuaScript.load(LockScripts.class, "word.lua", "renew.lua");

    /** Tells who holds a lock and who waits for it. */
    static final LuaScript LOOK = LuaScript.load(LockScripts.class, "look.lua");

    private static final LockScripts PLAIN = new LockScripts(
            withChannels(WaitingScripts.CHANNELS, "acquire.lua"),
            withChannels(WaitingScripts.CHANNELS, "release.lua"),
            "PUBLISH");

    private static final LockScripts SHARDED = new LockScripts(
            withChannels(WaitingScripts.SHARDED_CHANNELS, "acquire.lua"),
            withChannels(WaitingScripts.SHARDED_CHANNELS, "release.lua"),
            "SPUBLISH");

    private static LuaScript withChannels(String channels, String script) {
        return LuaScript.of(WaitingScripts.source(channels)
                + source("word.lua")
                + WaitingScripts.source(WaitingScripts.FENCE, WaitingScripts.QUEUE)
                + source("waiting.lua", script));
    }

    private static String source(String... resources) {
        return LuaScript.load(LockScripts.class, resources).source();
    }

    /** @param sharded whether channels belong to servers as keys do */
    static LockScripts of(boolean sharded) {
        return sharded ? SHARDED : PLAIN;
    }
}
